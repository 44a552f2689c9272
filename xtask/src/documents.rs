//! The documents that the page links to, as pages of their own: someone with a phone has no checkout.

use std::fs;
use std::path::Path;

use anyhow::{Context, Result};
use pulldown_cmark::{CowStr, Event, HeadingLevel, Options, Parser, Tag, TagEnd, html};

/// Documents in `docs/`.
const DOCUMENTS: [&str; 2] = ["method", "validation"];

/// Writes the documents beside the module.
pub fn write(docs: &Path, folder: &Path) -> Result<()> {
    for name in DOCUMENTS {
        let from = docs.join(name).with_extension("md");
        let text = fs::read_to_string(&from).with_context(|| format!("cannot read {}", from.display()))?;
        let to = folder.join(name).with_extension("html");
        fs::write(&to, page(&text)).with_context(|| format!("cannot write {}", to.display()))?;
    }
    Ok(())
}

/// A document in the page's style, with a way back.
fn page(markdown: &str) -> String {
    let events: Vec<Event> = Parser::new_ext(markdown, Options::ENABLE_TABLES).map(as_page).collect();
    let title = title(&events);
    let mut body = String::new();
    html::push_html(&mut body, events.into_iter());
    format!(
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n<title>{title} · opfs-bench</title>\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<meta name=\"color-scheme\" content=\"light dark\">\n\
         <link rel=\"icon\" href=\"../icon.svg\" type=\"image/svg+xml\">\n<link rel=\"stylesheet\" href=\"../report.css\">\n\
         <link rel=\"stylesheet\" href=\"../style.css\">\n<link rel=\"stylesheet\" href=\"../document.css\">\n</head>\n<body class=\"document\">\n<main>\n\
         <p class=\"name\"><a href=\"../\">opfs-bench</a></p>\n{body}</main>\n</body>\n</html>\n"
    )
}

/// Links between the documents become links between their pages.
fn as_page(event: Event) -> Event {
    match event {
        Event::Start(Tag::Link { link_type, dest_url, title, id }) => {
            let sibling = dest_url.strip_suffix(".md").filter(|name| DOCUMENTS.contains(name)).map(|name| format!("{name}.html"));
            Event::Start(Tag::Link { link_type, dest_url: sibling.map_or(dest_url, CowStr::from), title, id })
        }
        event => event,
    }
}

/// The first heading's text.
fn title(events: &[Event]) -> String {
    let inside = |event: &&Event| !matches!(event, Event::End(TagEnd::Heading(HeadingLevel::H1)));
    let text = |event: &Event| match event {
        Event::Text(text) | Event::Code(text) => Some(text.to_string()),
        _ => None,
    };
    let words: String = events.iter().take_while(inside).filter_map(text).collect();
    words.replace('&', "&amp;").replace('<', "&lt;")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_document_becomes_a_page_with_tables_and_working_links() {
        let page = page(
            "# How < it works\n\nSee [the tables](validation.md) and [this](https://example.org/a.md).\n\n| a | b |\n|---|--:|\n| 1 | 2 |\n",
        );
        for held in [
            "<title>How &lt; it works · opfs-bench</title>",
            "<a href=\"validation.html\">the tables</a>",
            "<a href=\"https://example.org/a.md\">this</a>",
            "<table>",
        ] {
            assert!(page.contains(held), "{held}: {page}");
        }
    }

    #[test]
    fn every_link_of_the_documents_leads_somewhere() {
        let docs = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs");
        for name in DOCUMENTS {
            let text = fs::read_to_string(docs.join(name).with_extension("md")).expect("there");
            for event in Parser::new(&text) {
                if let Event::Start(Tag::Link { dest_url, .. }) = event {
                    assert!(dest_url.starts_with("https://") || docs.join(&*dest_url).is_file(), "{name}: {dest_url}");
                }
            }
        }
    }
}
