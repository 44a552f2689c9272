//! What a session asks of its browser: headless unless wished otherwise, and nothing that talks to the network by itself.

use serde_json::{Map, Value, json};

use crate::browser::Browser;

/// What a caller may wish for beyond a fresh, headless browser.
#[derive(Clone, Debug, Default)]
pub struct Wishes {
    /// With a window.
    pub headed: bool,
    /// The browser's preferences, by their own names.
    pub preferences: Map<String, Value>,
}

/// Chromium's update checks and first-run pages would compete with a measurement. Without `--disable-gpu` headless Chromium
/// starts a GPU process that machines without one cannot use.
const CHROMIUM: [&str; 6] = [
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
];

/// The capabilities of a session on a browser of this machine.
#[must_use]
pub fn capabilities(browser: Browser, wishes: &Wishes) -> Map<String, Value> {
    let value = match browser {
        Browser::Chromium => {
            let mut arguments: Vec<&str> = CHROMIUM.to_vec();
            if !wishes.headed {
                arguments.push("--headless=new");
            }
            if is_root() {
                // Chromium refuses to run as root with its sandbox.
                arguments.push("--no-sandbox");
            }
            json!({
                "browserName": "chrome",
                "goog:chromeOptions": { "args": arguments, "prefs": wishes.preferences },
                // Lets a failed run show what the page wrote to its console.
                "goog:loggingPrefs": { "browser": "ALL" },
            })
        }
        Browser::Firefox => {
            // The page's console goes to the browser's output, and so to the driver's log.
            let mut preferences = json!({ "devtools.console.stdout.content": true });
            preferences.as_object_mut().expect("written as one").extend(wishes.preferences.clone());
            let arguments: &[&str] = if wishes.headed { &[] } else { &["-headless"] };
            let mut options = json!({ "args": arguments, "prefs": preferences });
            if let Some(program) = browser.program() {
                options["binary"] = json!(program);
            }
            json!({ "browserName": "firefox", "moz:firefoxOptions": options })
        }
    };
    match value {
        Value::Object(map) => map,
        _ => unreachable!("both are written as objects"),
    }
}

#[cfg(unix)]
fn is_root() -> bool {
    rustix::process::geteuid().is_root()
}

#[cfg(not(unix))]
fn is_root() -> bool {
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_window_only_when_wished() {
        for (headed, hidden) in [(false, true), (true, false)] {
            let wishes = Wishes { headed, ..Wishes::default() };
            let text = Value::Object(capabilities(Browser::Chromium, &wishes)).to_string();
            assert_eq!(text.contains("--headless=new"), hidden, "{text}");
            let text = Value::Object(capabilities(Browser::Firefox, &wishes)).to_string();
            assert_eq!(text.contains("-headless"), hidden, "{text}");
        }
    }

    #[test]
    fn preferences_reach_the_browser() {
        let wishes = Wishes { preferences: Map::from_iter([("a.b".to_owned(), json!(2))]), ..Wishes::default() };
        assert_eq!(capabilities(Browser::Chromium, &wishes)["goog:chromeOptions"]["prefs"]["a.b"], 2);
        assert_eq!(capabilities(Browser::Firefox, &wishes)["moz:firefoxOptions"]["prefs"]["a.b"], 2);
    }

    #[test]
    #[cfg(unix)]
    fn the_sandbox_is_given_up_by_root_alone() {
        let text = Value::Object(capabilities(Browser::Chromium, &Wishes::default())).to_string();
        assert_eq!(text.contains("--no-sandbox"), is_root());
    }
}
