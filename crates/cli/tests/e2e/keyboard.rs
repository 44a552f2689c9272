//! A keyboard alone: what the page offers can be reached, seen and used by it.

use opfs_bench_cli::browser::Browser;
use opfs_bench_cli::page::State;
use serde_json::json;
use thirtyfour::common::command::FormatRequestData;
use thirtyfour::{RequestData, SessionId};

use crate::harness::{Opened, in_both_browsers, with_page};
use crate::kept::SMALL;

in_both_browsers! {
    a_keyboard_alone_measures_reads_the_answer_and_downloads_it;
}

/// How keys are named by the standard.
const TAB: &str = "\u{e004}";
const ENTER: &str = "\u{e007}";
/// From the page's beginning to any control there are fewer.
const STEPS: usize = 60;

/// Keys that are pressed and let go one after another.
#[derive(Debug)]
struct Keys(&'static str);

impl FormatRequestData for Keys {
    fn format_request(&self, session: &SessionId) -> RequestData {
        let press = |key: char| [json!({ "type": "keyDown", "value": key }), json!({ "type": "keyUp", "value": key })];
        let actions: Vec<_> = self.0.chars().flat_map(press).collect();
        RequestData::new(axum::http::Method::POST, format!("session/{session}/actions"))
            .add_body(json!({ "actions": [{ "type": "key", "id": "keyboard", "actions": actions }] }))
    }
}

async fn press(opened: &Opened<'_>, keys: &'static str) {
    opened.session.command(Keys(keys)).await.unwrap_or_else(|error| panic!("{error:#}"));
}

/// Goes on with Tab until the focus, which must be to be seen, is on this element.
async fn tab_to(opened: &Opened<'_>, id: &str) {
    let mut passed = Vec::new();
    for _ in 0..STEPS {
        press(opened, TAB).await;
        let (focused, outlined): (String, bool) = opened
            .ask(
                "const focused = document.activeElement;
                 const outlined = (element) => getComputedStyle(element).outlineStyle !== 'none';
                 return [focused.id, outlined(focused) || (focused.closest('label') !== null && outlined(focused.closest('label')))];",
            )
            .await;
        assert!(outlined || focused.is_empty(), "the focus on #{focused} cannot be seen");
        if focused == id {
            return;
        }
        passed.push(focused);
    }
    panic!("Tab never came to #{id}; it came to {passed:?}");
}

fn a_keyboard_alone_measures_reads_the_answer_and_downloads_it(browser: Browser) {
    with_page(browser, async |opened: &Opened<'_>| {
        opened.session.go_to(&format!("{}?{SMALL}", opened.url)).await.expect("the page opens");
        opened.page.wait_until_ready().await.unwrap_or_else(|error| panic!("{error:#}"));
        tab_to(opened, "start").await;
        press(opened, ENTER).await;
        opened.wait_until("Start to take effect", "return document.documentElement.dataset.state !== 'ready'").await;
        assert_eq!(opened.ask::<String>("return document.activeElement.id").await, "stop", "the next thing to press has the focus");
        assert_eq!(opened.wait_for_end().await, State::Finished);
        // Reading goes on at the answer.
        assert_eq!(opened.ask::<String>("return document.activeElement.id").await, "result");
        assert!(opened.text("answer").await.contains("worker/sync"));
        let held = opened.page.result().await.expect("the page answers").expect("a result");
        tab_to(opened, "download-json").await;
        press(opened, ENTER).await;
        opened.wait_for_download(".json", &held).await;
    });
}
