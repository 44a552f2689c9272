//! What the device and the browser say of themselves.

use opfs_bench_core::result::{Battery, Environment, Screen, Storage};
use opfs_bench_core::units::Bytes;
use wasm_bindgen::prelude::*;
use wasm_bindgen_futures::JsFuture;
use web_sys::{StorageEstimate, Window};

use crate::glue::{self, CROSS_ORIGIN_ISOLATED};
use crate::opfs;

/// What the browser's own books may take beside the files, in bytes; what is free is told in multiples of it.
const SPARE: f64 = 1024.0 * 1024.0;

/// The page's window.
///
/// # Panics
/// In a worker.
pub fn window() -> Window {
    web_sys::window().expect("called on the main thread only")
}

/// Whether the page is out of sight.
pub fn hidden() -> bool {
    window().document().is_some_and(|document| document.visibility_state() == web_sys::VisibilityState::Hidden)
}

/// The environment of the page.
pub async fn environment() -> Environment {
    let window = window();
    let navigator = window.navigator();
    let user_agent = navigator.user_agent().unwrap_or_default();
    let screen = window.screen().ok().and_then(|screen| {
        let (width, height) = (screen.width().ok()?, screen.height().ok()?);
        Some(Screen { width: width.into(), height: height.into(), pixel_ratio: window.device_pixel_ratio() })
    });
    Environment {
        browser: browser(&user_agent),
        system: system(&user_agent).to_owned(),
        user_agent,
        cores: whole(navigator.hardware_concurrency()),
        memory_gib: property(&navigator, "deviceMemory").as_f64(),
        screen,
        isolated: CROSS_ORIGIN_ISOLATED.with(JsValue::is_truthy),
        automated: property(&navigator, "webdriver").is_truthy(),
        frame_ms: JsFuture::from(glue::frame_ms()).await.ok().and_then(|frame| frame.as_f64()),
        battery: battery().await,
        storage: storage().await,
        address: address(&window),
    }
}

/// What the browser grants to this origin. None where it does not say.
pub async fn storage() -> Option<Storage> {
    let estimate = JsFuture::from(opfs::storage().ok()?.estimate().ok()?).await.ok()?;
    let estimate: StorageEstimate = estimate.unchecked_into();
    Some(Storage { quota: estimate.get_quota()?, usage: estimate.get_usage()? })
}

/// What it grants beyond what it has, less what its own books may take. None where it does not say.
#[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)] // a quota in bytes; `as` saturates
pub async fn free() -> Option<Bytes> {
    let storage = storage().await?;
    Some(Bytes(((storage.quota - storage.usage - SPARE).max(0.0) / SPARE) as u64 * (1 << 20)))
}

async fn battery() -> Option<Battery> {
    let told: js_sys::Array = JsFuture::from(glue::battery()).await.ok()?.dyn_into().ok()?;
    Some(Battery { charging: told.get(0).is_truthy(), level: told.get(1).as_f64()? })
}

fn property(object: &JsValue, name: &str) -> JsValue {
    js_sys::Reflect::get(object, &name.into()).unwrap_or(JsValue::UNDEFINED)
}

#[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)] // a number of cores
fn whole(number: f64) -> Option<u32> {
    (number >= 1.0).then_some(number as u32)
}

fn address(window: &Window) -> String {
    let location = window.location();
    let part = |part: Result<String, JsValue>| part.unwrap_or_default();
    format!("{}{}", part(location.origin()), part(location.pathname()))
}

/// Browsers by the mark that they alone carry, most specific first: all of them claim to be several others too.
const BROWSERS: [(&str, &str); 9] = [
    ("Edg/", "Edge"),
    ("OPR/", "Opera"),
    ("SamsungBrowser/", "Samsung Internet"),
    ("FxiOS/", "Firefox for iOS"),
    ("CriOS/", "Chrome for iOS"),
    ("Firefox/", "Firefox"),
    ("HeadlessChrome/", "Chromium"),
    ("Chrome/", "Chromium"),
    ("Version/", "Safari"),
];

/// Name and major version from a user agent: `Firefox 153`.
fn browser(user_agent: &str) -> String {
    let found = BROWSERS.iter().find_map(|(mark, name)| {
        let version = user_agent.split_once(mark)?.1;
        // Safari's minor versions are what others call major ones: 16.4 has what 16.3 lacks.
        let parts = if *name == "Safari" { 2 } else { 1 };
        let version: Vec<&str> = version.split([' ', ';']).next()?.split('.').take(parts).collect();
        // Others that are made with WebKit, on Linux for instance, say nothing of their own, and no Safari has their numbers.
        let name = if *name == "Safari" && !user_agent.contains("Mac OS X") { "WebKit browser" } else { name };
        Some(format!("{name} {}", version.join(".")))
    });
    found.unwrap_or_else(|| "an unknown browser".into())
}

fn system(user_agent: &str) -> &'static str {
    // Android says Linux too, and an iPhone says Mac OS X.
    [
        ("Android", "Android"),
        ("iPhone", "iOS"),
        ("iPad", "iPadOS"),
        ("Windows", "Windows"),
        ("CrOS", "ChromeOS"),
        ("Mac OS X", "macOS"),
        ("Linux", "Linux"),
    ]
    .iter()
    .find(|(mark, _)| user_agent.contains(mark))
    .map_or("an unknown system", |(_, name)| name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn browsers_are_told_apart() {
        for (user_agent, name, platform) in [
            (
                "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) HeadlessChrome/156.0.0.0 Safari/537.36",
                "Chromium 156",
                "Linux",
            ),
            (
                "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/151.0.0.0 Safari/537.36 Edg/151.0.0.0",
                "Edge 151",
                "Windows",
            ),
            ("Mozilla/5.0 (X11; Linux x86_64; rv:153.0) Gecko/20100101 Firefox/153.0", "Firefox 153", "Linux"),
            (
                "Mozilla/5.0 (iPhone; CPU iPhone OS 18_6 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/26.4 Mobile/15E148 Safari/604.1",
                "Safari 26.4",
                "iOS",
            ),
            (
                "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/60.5 Safari/605.1.15",
                "WebKit browser 60.5",
                "Linux",
            ),
            (
                "Mozilla/5.0 (Linux; Android 10; K) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/151.0.0.0 Mobile Safari/537.36",
                "Chromium 151",
                "Android",
            ),
            ("curl/8", "an unknown browser", "an unknown system"),
        ] {
            assert_eq!((browser(user_agent).as_str(), system(user_agent)), (name, platform), "{user_agent}");
        }
    }
}
