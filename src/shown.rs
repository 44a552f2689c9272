//! Results as the page shows them: of a run, of the history, of a file, of a link.

use opfs_bench_core::compare;
use opfs_bench_core::link;
use opfs_bench_core::report::{self, Fragments, Severity};
use opfs_bench_core::result::RunResult;
use qrcode::{Color, EcLevel, QrCode};
use serde::Serialize;
use wasm_bindgen::prelude::*;

use crate::{env, glue};

/// Light squares around a code: cameras need them.
const QUIET: usize = 4;

#[derive(Serialize)]
struct Shown {
    answer: String,
    doubts: String,
    groups: String,
    environment: String,
    /// What a list says of it.
    name: String,
    started: String,
    browser: String,
    sentence: String,
    markdown: String,
    text: String,
    page: String,
    /// For an address's fragment; none where it has too many rows for a link.
    #[serde(skip_serializing_if = "Option::is_none")]
    link: Option<String>,
}

/// A result of which there is no more than what a link told.
#[derive(Serialize)]
struct Linked {
    answer: String,
    doubts: String,
    groups: String,
}

/// A result, shown: an object of HTML fragments, what a list says of it, a self-contained page, Markdown, text, and a link's content.
///
/// # Errors
/// When the text is no result.
#[wasm_bindgen]
pub fn render(result_json: &str) -> Result<JsValue, JsError> {
    let result = RunResult::from_json(result_json)?;
    let Fragments { answer, doubts, groups, findings, environment } = report::fragments(&result);
    let shown = Shown {
        answer,
        doubts,
        // What they say together follows them, in the same place of the page.
        groups: groups + &findings,
        environment,
        name: report::one_line(&result.job.name),
        started: report::one_line(&result.started),
        browser: report::one_line(&format!("{} on {}", result.environment.browser, result.environment.system)),
        sentence: report::answer(&result),
        markdown: report::markdown(&result),
        text: report::text(&result),
        page: report::page(&result),
        link: link::encode(&result),
    };
    Ok(glue::plain(&shown))
}

/// A result's samples as CSV, a row each.
///
/// # Errors
/// When the text is no result.
#[wasm_bindgen]
pub fn csv(result_json: &str) -> Result<String, JsError> {
    Ok(report::csv(&RunResult::from_json(result_json)?))
}

/// What a link brought, shown: an object of HTML fragments that say where it comes from.
///
/// # Errors
/// When it is no link's content.
#[wasm_bindgen(js_name = renderLink)]
pub fn render_link(content: &str) -> Result<JsValue, JsError> {
    let Fragments { answer, doubts, groups, .. } = report::linked(&link::decode(content)?);
    Ok(glue::plain(&Linked { answer, doubts, groups }))
}

/// Two results side by side, as HTML. They may be of two browsers, devices or versions.
///
/// # Errors
/// When one of the texts is no result.
#[wasm_bindgen(js_name = renderComparison)]
pub fn render_comparison(base_json: &str, other_json: &str, base: &str, other: &str) -> Result<String, JsError> {
    let sides = [RunResult::from_json(base_json)?, RunResult::from_json(other_json)?];
    let comparison = compare::compare(&sides[..1], &sides[1..]);
    Ok(report::comparison_fragment(&comparison, &report::one_line(base), &report::one_line(other)))
}

#[derive(Serialize)]
struct Condition {
    heading: &'static str,
    sentence: String,
}

/// What would make a run doubtful that began now: a list of headings and sentences.
#[wasm_bindgen]
pub async fn conditions() -> JsValue {
    let doubts = report::beforehand(&env::environment().await);
    let told = doubts.iter().filter(|doubt| doubt.severity() != Severity::Mild);
    let conditions: Vec<Condition> = told.map(|doubt| Condition { heading: doubt.heading(), sentence: doubt.sentence() }).collect();
    glue::plain(&conditions)
}

/// A code for cameras, as SVG.
///
/// # Errors
/// When the text is too long for one.
#[wasm_bindgen]
pub fn qr(text: &str) -> Result<String, JsError> {
    use std::fmt::Write as _;
    let code = QrCode::with_error_correction_level(text, EcLevel::L)?;
    let width = code.width();
    let mut path = String::new();
    for (row, colors) in code.to_colors().chunks(width).enumerate() {
        let mut column = 0;
        for run in colors.chunk_by(|one, next| one == next) {
            if run[0] == Color::Dark {
                let _ = write!(path, "M{} {}h{}v1h-{2}z", column + QUIET, row + QUIET, run.len());
            }
            column += run.len();
        }
    }
    let size = width + 2 * QUIET;
    Ok(format!(
        "<svg class=\"code\" role=\"img\" aria-label=\"A code for a camera: it holds the address beside it\" viewBox=\"0 0 {size} {size}\" \
         shape-rendering=\"crispEdges\"><rect class=\"light\" width=\"{size}\" height=\"{size}\"/><path class=\"dark\" d=\"{path}\"/></svg>"
    ))
}
