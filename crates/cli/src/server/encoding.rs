//! Compressed forms of files. A file is compressed when it is first asked for, and kept so.

use std::collections::HashMap;
use std::io::Write;
use std::sync::Mutex;

use axum::body::Bytes;
use axum::http::HeaderMap;
use axum::http::header::ACCEPT_ENCODING;
use flate2::Compression;
use flate2::write::GzEncoder;
use tokio::task::spawn_blocking;

/// Of 11: above it the largest file takes more than a second, for a few per cent.
const BROTLI_QUALITY: i32 = 5;
/// Brotli's window: 4 MiB.
const BROTLI_WINDOW: i32 = 22;
/// Smaller files gain nothing.
const SMALLEST: usize = 1 << 10;
/// The page has some fifty forms of files; more are left-overs of files that changed.
const MOST_KEPT: usize = 256;

/// How a file is sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Encoding {
    Identity,
    Gzip,
    Brotli,
}

impl Encoding {
    /// The smallest form that the request accepts.
    pub(super) fn of(headers: &HeaderMap) -> Self {
        let values = headers.get_all(ACCEPT_ENCODING).iter().filter_map(|value| value.to_str().ok());
        let accepts: Vec<&str> = values.flat_map(|value| value.split(',')).filter_map(accepted).collect();
        let has = |name: &str| accepts.iter().any(|other| other.eq_ignore_ascii_case(name));
        if has("br") {
            Self::Brotli
        } else if has("gzip") {
            Self::Gzip
        } else {
            Self::Identity
        }
    }

    /// As in `Content-Encoding`.
    pub(super) fn name(self) -> Option<&'static str> {
        match self {
            Self::Identity => None,
            Self::Gzip => Some("gzip"),
            Self::Brotli => Some("br"),
        }
    }
}

/// The coding of one item of the list: `br;q=0.5`. None where its weight is 0, which refuses it.
fn accepted(item: &str) -> Option<&str> {
    let mut parts = item.split(';').map(str::trim);
    let coding = parts.next()?;
    let weight = parts.find_map(|part| part.strip_prefix("q=").or_else(|| part.strip_prefix("Q=")));
    weight.is_none_or(|weight| weight.parse::<f64>().is_ok_and(|weight| weight > 0.0)).then_some(coding)
}

/// Compressed forms, by the checksum of what they are of.
#[derive(Debug, Default)]
pub(super) struct Compressed(Mutex<HashMap<(u128, Encoding), Bytes>>);

impl Compressed {
    /// The file in this form. None where it is no smaller so.
    pub(super) async fn of(&self, checksum: u128, encoding: Encoding, bytes: &Bytes) -> Option<Bytes> {
        if encoding == Encoding::Identity || bytes.len() < SMALLEST {
            return None;
        }
        let kept = self.kept().get(&(checksum, encoding)).cloned();
        let compressed = if let Some(compressed) = kept {
            compressed
        } else {
            let plain = bytes.clone();
            let compressed = spawn_blocking(move || compress(encoding, &plain)).await.ok()?.ok()?;
            let mut kept = self.kept();
            if kept.len() >= MOST_KEPT {
                kept.clear();
            }
            kept.insert((checksum, encoding), compressed.clone());
            compressed
        };
        (compressed.len() < bytes.len()).then_some(compressed)
    }

    fn kept(&self) -> std::sync::MutexGuard<'_, HashMap<(u128, Encoding), Bytes>> {
        // Nothing that holds the lock can panic.
        self.0.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
    }
}

fn compress(encoding: Encoding, bytes: &[u8]) -> std::io::Result<Bytes> {
    match encoding {
        Encoding::Identity => Ok(Bytes::copy_from_slice(bytes)),
        Encoding::Gzip => {
            let mut writer = GzEncoder::new(Vec::new(), Compression::default());
            writer.write_all(bytes)?;
            Ok(writer.finish()?.into())
        }
        Encoding::Brotli => {
            let parameters = brotli::enc::BrotliEncoderParams { quality: BROTLI_QUALITY, lgwin: BROTLI_WINDOW, ..Default::default() };
            let mut compressed = Vec::new();
            brotli::BrotliCompress(&mut &*bytes, &mut compressed, &parameters)?;
            Ok(compressed.into())
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_smallest_form_that_is_accepted_is_taken() {
        for (accept, encoding) in [
            ("", Encoding::Identity),
            ("gzip, deflate, br, zstd", Encoding::Brotli),
            ("GZIP", Encoding::Gzip),
            ("br;q=0, gzip;q=0.5", Encoding::Gzip),
            ("br; q=0.000", Encoding::Identity),
            ("br;q=x", Encoding::Identity),
            ("zstd, brotli", Encoding::Identity),
            ("*", Encoding::Identity),
        ] {
            let headers = HeaderMap::from_iter([(ACCEPT_ENCODING, accept.parse().expect("a value"))]);
            assert_eq!(Encoding::of(&headers), encoding, "{accept}");
        }
        assert_eq!(Encoding::of(&HeaderMap::new()), Encoding::Identity);
    }
}
