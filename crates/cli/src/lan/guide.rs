//! What a person at the terminal is told: addresses, codes for cameras, and what to tap.

use std::fmt::Write as _;

use anyhow::{Context, Result};
use qrcode::QrCode;
use qrcode::render::unicode::Dense1x2;

use super::Lan;
use crate::inbox::Token;

/// Black on white whatever the terminal's own colours are: cameras want it so.
const BLACK_ON_WHITE: &str = "\x1b[38;5;16;48;5;231m";
const RESET: &str = "\x1b[0m";

/// Addresses, codes and taps. `colours` is for a terminal that has them.
///
/// # Errors
/// When an address does not fit into a code.
pub fn text(lan: &Lan, port: u16, token: &Token, colours: bool) -> Result<String> {
    let mut text = String::new();
    let Lan { addresses, identity } = lan;
    if let Some(authority) = &identity.authority {
        let _ = writeln!(text, "First, once on each device: trust this computer. The page behind this code says how.");
        for address in addresses {
            let _ = write!(text, "\n{}", with_code(&format!("http://{address}:{port}/trust"), colours)?);
        }
        let _ = write!(
            text,
            "\nThe certificate is “{}”. Its SHA-256 must be\n{}\n\nThen: the page itself.\n",
            authority.name, authority.fingerprint
        );
    }
    for address in addresses {
        let _ = write!(text, "\n{}", with_code(&format!("https://{address}:{port}/#token={}", token.as_str()), colours)?);
    }
    text.push_str(if identity.authority.is_some() { TRUSTED } else { ASKED });
    if identity.fresh && identity.authority.is_none() {
        text.push_str("The certificate is a new one, so every device asks once.\n");
    }
    let _ = write!(
        text,
        "\nIf nothing opens: the device must be in the same network as this computer, and the computer's firewall must let port {port} in.\n"
    );
    Ok(text)
}

/// For a certificate that no device knows.
const ASKED: &str = "
Android: point the camera at the code and open the address in Chrome. It warns that the connection is not private, since no company
  vouches for this computer: tap Advanced, then Proceed. In Firefox: Advanced, then Accept the Risk and Continue.
iPhone, iPad: point the camera at the code and open the address in Safari. It warns that the connection is not private: tap Show
  Details, then visit this website, then Visit Website.
";

/// For one whose authority the device trusts.
const TRUSTED: &str = "
Point the camera at the code and open the address: in Chrome on Android, in Safari on an iPhone or iPad.
";

fn with_code(address: &str, colours: bool) -> Result<String> {
    let code = QrCode::new(address).with_context(|| format!("{address} does not fit into a code"))?;
    let mut drawing = code.render::<Dense1x2>();
    if !colours {
        // Letters are light on dark in most terminals: what is drawn is then the light part.
        drawing.dark_color(Dense1x2::Light).light_color(Dense1x2::Dark);
    }
    let (begin, end) = if colours { (BLACK_ON_WHITE, RESET) } else { ("", "") };
    let mut text = format!("{address}\n");
    for line in drawing.build().lines() {
        let _ = writeln!(text, "{begin}{line}{end}");
    }
    Ok(text)
}

#[cfg(test)]
mod tests {
    use std::net::Ipv4Addr;

    use time::OffsetDateTime;

    use super::*;
    use crate::lan::certificates;

    /// Pixels for each square of a code, of which a letter is two.
    const WIDE: usize = 4;

    /// What a camera reads in the codes of a text, in their order.
    fn codes(text: &str, colours: bool) -> Vec<String> {
        let mut blocks: Vec<Vec<&str>> = vec![vec![]];
        for line in text.lines() {
            let drawn = line.trim_start_matches(BLACK_ON_WHITE).trim_end_matches(RESET);
            let is_code = !drawn.is_empty() && drawn.chars().all(|c| " ▀▄█".contains(c));
            if is_code { blocks.last_mut().expect("one").push(drawn) } else { blocks.push(vec![]) }
        }
        let read = |rows: Vec<&str>| {
            let rows: Vec<Vec<char>> = rows.iter().map(|row| row.chars().collect()).collect();
            let (width, height) = (rows[0].len() * WIDE, rows.len() * 2 * WIDE);
            let dark = |x: usize, y: usize| {
                let (letter, upper) = (rows[y / WIDE / 2][x / WIDE], (y / WIDE).is_multiple_of(2));
                (letter == '█' || letter == if upper { '▀' } else { '▄' }) == colours
            };
            let mut image = rqrr::PreparedImage::prepare_from_greyscale(width, height, |x, y| if dark(x, y) { 0 } else { 255 });
            let grids = image.detect_grids();
            assert_eq!(grids.len(), 1, "a code is found");
            grids[0].decode().expect("it can be read").1
        };
        blocks.into_iter().filter(|rows| !rows.is_empty()).map(read).collect()
    }

    #[test]
    fn cameras_read_the_addresses_whatever_the_terminal() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let addresses = vec![Ipv4Addr::new(192, 168, 100, 101), Ipv4Addr::new(10, 0, 0, 7)];
        let token = Token::new().expect("random");
        for with_authority in [false, true] {
            let identity = certificates::identity(folder.path(), &addresses, with_authority, OffsetDateTime::UNIX_EPOCH).expect("made");
            let lan = Lan { addresses: addresses.clone(), identity };
            let pages = ["192.168.100.101", "10.0.0.7"].map(|address| format!("https://{address}:8642/#token={}", token.as_str()));
            let trust = ["192.168.100.101", "10.0.0.7"].map(|address| format!("http://{address}:8642/trust"));
            let wanted = if with_authority { [trust, pages].concat() } else { pages.to_vec() };
            for colours in [true, false] {
                let text = text(&lan, 8642, &token, colours).expect("they fit");
                assert_eq!(codes(&text, colours), wanted);
                assert!(wanted.iter().all(|address| text.contains(address)), "{text}");
                let told = if with_authority { "Its SHA-256 must be" } else { "tap Show\n  Details" };
                assert!(text.contains(told) && text.contains("port 8642"), "{text}");
            }
        }
    }
}
