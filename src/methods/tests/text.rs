//! What a text is compared with is what browsers decode, to the last replacement character.

use js_sys::{Array, JsString, Uint8Array};
use opfs_bench_core::fixture::{FixtureFile, decoded};
use wasm_bindgen::prelude::*;
use wasm_bindgen_futures::JsFuture;
use wasm_bindgen_test::wasm_bindgen_test;
use web_sys::Blob;

use super::SEED;

#[wasm_bindgen]
extern "C" {
    type TextDecoder;
    #[wasm_bindgen(constructor)]
    fn new() -> TextDecoder;
    #[wasm_bindgen(method)]
    fn decode(this: &TextDecoder, bytes: &Uint8Array) -> JsString;
}

/// Bytes that begin, continue, or cannot be in a sequence, at both ends of every range that the standard tells apart.
const NASTY: [u8; 27] = [
    0x00, b'A', 0x7f, 0x80, 0x8f, 0x90, 0x9f, 0xa0, 0xbb, 0xbf, 0xc0, 0xc1, 0xc2, 0xdf, 0xe0, 0xe1, 0xec, 0xed, 0xee, 0xef, 0xf0, 0xf1,
    0xf3, 0xf4, 0xf5, 0xf8, 0xff,
];

fn assert_decoded(decoder: &TextDecoder, bytes: &[u8]) {
    let found = String::from(decoder.decode(&Uint8Array::from(bytes)));
    assert_eq!(found, decoded(bytes), "{bytes:02x?}");
}

#[wasm_bindgen_test]
fn short_sequences_are_decoded_as_the_browser_decodes_them() {
    let decoder = TextDecoder::new();
    for first in 0..=u8::MAX {
        assert_decoded(&decoder, &[first]);
        for second in 0..=u8::MAX {
            assert_decoded(&decoder, &[first, second]);
        }
    }
    for first in NASTY {
        for second in NASTY {
            for third in NASTY {
                assert_decoded(&decoder, &[first, second, third]);
            }
        }
    }
}

#[wasm_bindgen_test]
async fn texts_of_blobs_are_decoded_as_the_browser_decodes_them() {
    let mut random = vec![0; 1 << 18];
    FixtureFile::new(SEED, 0).fill(0, &mut random);
    // Random bytes hold few long sequences.
    let nasty: Vec<u8> = random.iter().map(|byte| NASTY[usize::from(*byte) % NASTY.len()]).collect();
    let mark = [0xef, 0xbb, 0xbf];
    let marked: Vec<u8> = [&mark[..], &random[..4096]].concat();
    let marked_twice: Vec<u8> = [&mark[..], &mark, b"text"].concat();
    for bytes in [&random[..], &nasty, &marked, &marked_twice, &mark, &mark[..2], b"", b"plain"] {
        let blob = Blob::new_with_buffer_source_sequence(&Array::of1(&Uint8Array::from(bytes))).unwrap();
        let text: JsString = JsFuture::from(blob.text()).await.unwrap().unchecked_into();
        assert!(String::from(text) == decoded(bytes), "{} bytes that begin with {:02x?}", bytes.len(), &bytes[..bytes.len().min(8)]);
    }
}
