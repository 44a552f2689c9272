//! Takes the names of functions out of the built module: a quarter of what a phone would download, and of use to a debugger alone.

use std::fs;
use std::path::Path;

use anyhow::{Context, Result, bail};

/// Magic number and version.
const HEADER: usize = 8;
/// The number of sections that are no part of the program.
const CUSTOM: u8 = 0;

/// Takes them out of a module in place.
pub fn strip(module: &Path) -> Result<()> {
    let bytes = fs::read(module).with_context(|| format!("cannot read {}", module.display()))?;
    let stripped = without_names(&bytes).with_context(|| format!("{} is no module", module.display()))?;
    if stripped.len() < bytes.len() {
        fs::write(module, &stripped).with_context(|| format!("cannot write {}", module.display()))?;
        eprintln!("without names: {} B became {} B", bytes.len(), stripped.len());
    }
    Ok(())
}

/// The module without its section `name`. Sections are a number, their length, and their content; that of custom ones begins with what
/// they are called: <https://webassembly.github.io/spec/core/binary/modules.html#sections>.
fn without_names(module: &[u8]) -> Result<Vec<u8>> {
    let mut kept = module.get(..HEADER).context("too short")?.to_vec();
    let mut rest = &module[HEADER..];
    while let [kind, after @ ..] = rest {
        let (length, content) = number(after)?;
        let Some((content, next)) = content.split_at_checked(length) else { bail!("a section ends behind the module's end") };
        if *kind != CUSTOM || called(content)? != b"name" {
            kept.extend_from_slice(&rest[..rest.len() - next.len()]);
        }
        rest = next;
    }
    Ok(kept)
}

fn called(section: &[u8]) -> Result<&[u8]> {
    let (length, text) = number(section)?;
    text.get(..length).context("a section's name ends behind the section")
}

/// An unsigned number as LEB128, and what follows it.
fn number(bytes: &[u8]) -> Result<(usize, &[u8])> {
    let mut value = 0;
    for (place, byte) in bytes.iter().take(5).enumerate() {
        value |= usize::from(byte & 0x7f) << (7 * place);
        if byte & 0x80 == 0 {
            return Ok((value, &bytes[place + 1..]));
        }
    }
    bail!("a number does not end")
}

#[cfg(test)]
mod tests {
    use super::*;

    const EMPTY: &[u8] = b"\0asm\x01\0\0\0";

    #[test]
    fn names_go_and_all_else_stays() {
        let (types, names, other) = (b"\x01\x04\x01\x60\0\0", b"\0\x07\x04name\x01\0", b"\0\x06\x05other");
        let module = |sections: &[&[u8]]| [&[EMPTY], sections].concat().concat();
        assert_eq!(without_names(&module(&[types, names, other])).expect("a module"), module(&[types, other]));
        assert_eq!(without_names(EMPTY).expect("a module"), EMPTY);
    }

    #[test]
    fn what_is_no_module_is_told() {
        for bytes in
            [&b"\0as"[..], b"\0asm\x01\0\0\0\x01\x04\x01", b"\0asm\x01\0\0\0\0\x02\x09n", b"\0asm\x01\0\0\0\x01\xff\xff\xff\xff\xff"]
        {
            assert!(without_names(bytes).is_err(), "{bytes:?}");
        }
    }
}
