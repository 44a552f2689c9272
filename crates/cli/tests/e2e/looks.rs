//! How the page looks and what can be done with it, in Chromium: screenshots, and what axe-core and a ruler find, on a phone's screen and on
//! a desk's, in the light and in the dark.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use crate::harness::Opened;

const SCREENS: [(&str, u32, u32); 2] = [("phone", 320, 640), ("desk", 1280, 800)];
const THEMES: [&str; 2] = ["light", "dark"];
/// Longer pages are cut: Chromium takes no longer pictures.
const LONGEST: f64 = 16_000.0;
/// A finger's width, less what rounding may take.
const FINGER: f64 = 43.5;

/// Runs axe-core with all its rules, and tells what it finds, an entry for each rule.
const AXE: &str = "
    const done = arguments[arguments.length - 1];
    axe.run(document, {resultTypes: ['violations']}).then(
      ({violations}) => done(violations.map(({id, help, nodes}) => `${id} (${help}): ${nodes.map(({target}) => target).join('; ')}`)),
      (error) => done([String(error)]));";

/// What sticks out to the right, and what is too small for a finger. Links inside text are as high as their line (WCAG 2.5.8).
const RULER: &str = "
    const name = (element) => `${element.tagName} #${element.id} .${element.className} ${element.textContent.trim().slice(0, 30)}`;
    const all = (selector) => [...document.querySelectorAll(selector)].filter((element) => element.checkVisibility());
    const wide = document.documentElement.scrollWidth > innerWidth
      ? all('body *').filter((element) => element.getBoundingClientRect().right > innerWidth + 0.5).slice(0, 5) : [];
    const high = (element) => element.getBoundingClientRect().height;
    // A box is pressed by its label.
    const pressed = all('button, select, summary, input').map((element) => element.closest('label') ?? element);
    const small = pressed.filter((element) => high(element) > 1 && high(element) < arguments[0]);
    return [...wide.map((element) => `too wide: ${name(element)}`), ...small.map((element) => `${high(element)} px high: ${name(element)}`)];";

/// axe-core's source.
pub fn axe() -> String {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/e2e/node_modules/axe-core/axe.min.js");
    fs::read_to_string(&file)
        .unwrap_or_else(|error| panic!("{}: {error}; `npm ci --prefix crates/cli/tests/e2e` installs axe-core", file.display()))
}

/// Where screenshots go.
fn folder() -> PathBuf {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../target/screenshots");
    fs::create_dir_all(&folder).expect("writable");
    folder
}

/// Looks at the page in its present state on every screen, and leaves it on a phone's. What was found, with the state's name.
pub async fn look(opened: &Opened<'_>, axe: &str, state: &str) -> Vec<String> {
    let mut found = Vec::new();
    opened.run_script(&format!("if (!window.axe) {{ {axe} }}")).await;
    for (screen, width, height) in SCREENS {
        for theme in THEMES {
            set_screen(opened, width, height, theme).await;
            screenshot(opened, &format!("{state}-{screen}-{theme}")).await;
            let mut all: Vec<String> =
                opened.session.script_async("axe-core", AXE, vec![]).await.unwrap_or_else(|error| panic!("{error:#}"));
            if screen == "phone" {
                let ruled: Vec<String> = opened.session.script("measuring", RULER, vec![json!(FINGER)]).await.expect("the page answers");
                all.extend(ruled);
            }
            found.extend(all.into_iter().map(|what| format!("{state}, {screen}, {theme}: {what}")));
        }
    }
    set_screen(opened, SCREENS[0].1, SCREENS[0].2, THEMES[0]).await;
    found
}

/// Makes the page as large as on such a screen.
pub async fn set_screen(opened: &Opened<'_>, width: u32, height: u32, theme: &str) {
    let metrics = json!({ "width": width, "height": height, "deviceScaleFactor": 1, "mobile": width < 600 });
    opened.developer_tools("Emulation.setDeviceMetricsOverride", metrics).await;
    let features = json!({ "features": [{ "name": "prefers-color-scheme", "value": theme }, { "name": "prefers-reduced-motion", "value": "reduce" }] });
    opened.developer_tools("Emulation.setEmulatedMedia", features).await;
}

/// Takes the whole page.
pub async fn screenshot(opened: &Opened<'_>, name: &str) {
    let (width, height): (f64, f64) = opened.ask("return [innerWidth, document.documentElement.scrollHeight]").await;
    let clip = json!({ "x": 0, "y": 0, "width": width, "height": height.min(LONGEST), "scale": 1 });
    let taken: Value = opened.developer_tools("Page.captureScreenshot", json!({ "captureBeyondViewport": true, "clip": clip })).await;
    let bytes = base64(taken["data"].as_str().expect("a picture"));
    fs::write(folder().join(format!("{name}.png")), bytes).expect("writable");
}

fn base64(text: &str) -> Vec<u8> {
    let digit = |byte: u8| match byte {
        b'A'..=b'Z' => byte - b'A',
        b'a'..=b'z' => byte - b'a' + 26,
        b'0'..=b'9' => byte - b'0' + 52,
        b'+' => 62,
        _ => 63,
    };
    let digits: Vec<u8> = text.bytes().filter(|byte| *byte != b'=').map(digit).collect();
    let three = |four: &[u8]| {
        let bits = four.iter().fold(0_u32, |bits, digit| bits << 6 | u32::from(*digit)) << (6 * (4 - four.len()));
        bits.to_be_bytes()[1..four.len()].to_vec()
    };
    digits.chunks(4).flat_map(three).collect()
}
