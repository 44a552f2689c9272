//! Puts the snippets of JavaScript that the glue imports into the glue itself.
//!
//! wasm-bindgen makes a module of each snippet that stands in Rust, and a browser asks for each by itself before it can start: over twenty
//! requests of a few hundred bytes. The forms of `import` and `export` that it writes, and that the snippets have, are few; any other ends the
//! build, since a page that lacks a function is found out later and by others.

use std::fmt::Write;
use std::fs;
use std::path::Path;

use anyhow::{Context, Result, bail};

/// What may be exported where it is declared.
const DECLARED: [&str; 5] = ["async function ", "function ", "const ", "let ", "class "];

/// Does so in place, in the folder of the built module, and removes the snippets.
pub fn inline(folder: &Path) -> Result<()> {
    let glue = folder.join("opfs_bench.js");
    let text = fs::read_to_string(&glue).with_context(|| format!("cannot read {}", glue.display()))?;
    let read = |path: &str| fs::read_to_string(folder.join(path)).with_context(|| format!("cannot read the snippet {path}"));
    let inlined = inlined(&text, read).with_context(|| format!("cannot put the snippets into {}", glue.display()))?;
    fs::write(&glue, inlined).with_context(|| format!("cannot write {}", glue.display()))?;
    let snippets = folder.join("snippets");
    if snippets.exists() {
        fs::remove_dir_all(&snippets).with_context(|| format!("cannot remove {}", snippets.display()))?;
    }
    Ok(())
}

/// The module without imports: each that it imported is a function's scope, and what that exports an object.
fn inlined(module: &str, read: impl Fn(&str) -> Result<String>) -> Result<String> {
    let mut paths: Vec<&str> = Vec::new();
    let (mut snippets, mut names, mut rest) = (String::new(), String::new(), String::new());
    for line in module.lines() {
        let Some((imported, path)) = import(line)? else {
            writeln!(rest, "{line}")?;
            continue;
        };
        let known = paths.iter().position(|other| *other == path);
        let number = known.unwrap_or(paths.len());
        if known.is_none() {
            paths.push(path);
            let scope = scope(&read(path)?).with_context(|| format!("in {path}"))?;
            writeln!(snippets, "const snippet{number} = {scope};")?;
        }
        let name = match imported.strip_prefix("* as ") {
            Some(all) => all.to_owned(),
            None => imported.replace(" as ", ": "),
        };
        writeln!(names, "const {name} = snippet{number};")?;
    }
    Ok(format!("{snippets}{names}{rest}"))
}

/// What a line imports, and from where. None where it is no import.
fn import(line: &str) -> Result<Option<(&str, &str)>> {
    let Some(statement) = line.strip_prefix("import ") else { return Ok(None) };
    let parts = statement.trim_end_matches(';').rsplit_once(" from ");
    let Some((imported, path)) = parts.filter(|(imported, _)| imported.starts_with("* as ") || imported.starts_with('{')) else {
        bail!("this kind of import is not known: {line}")
    };
    let path = path.trim_matches(['"', '\'']);
    if !path.starts_with("./snippets/") {
        bail!("no snippet is imported here: {line}");
    }
    Ok(Some((imported, path)))
}

/// A module as an expression: a function that is called at once, and returns what the module exports.
fn scope(module: &str) -> Result<String> {
    let (mut body, mut names) = (String::new(), Vec::new());
    for line in module.trim().lines() {
        if line.starts_with("import ") {
            bail!("a snippet may not import anything: {line}");
        }
        let Some(declaration) = line.strip_prefix("export ") else {
            writeln!(body, "{line}")?;
            continue;
        };
        let declared = DECLARED.iter().find_map(|kind| declaration.strip_prefix(kind));
        let name = declared.and_then(|rest| rest.split(|c: char| !c.is_alphanumeric() && c != '_' && c != '$').next());
        let Some(name) = name.filter(|name| !name.is_empty()) else { bail!("this kind of export is not known: {line}") };
        names.push(name);
        writeln!(body, "{declaration}")?;
    }
    Ok(format!("(() => {{\n{body}return {{ {} }};\n}})()", names.join(", ")))
}

#[cfg(test)]
mod tests {
    use super::*;

    const A: &str = "\nconst one = 1;\nexport function f(x) {\n  return x + one;\n}\nexport const $g = () => one;";
    const B: &str = "export async function f() {}\n";

    fn read(path: &str) -> Result<String> {
        match path {
            "./snippets/a.js" => Ok(A.into()),
            "./snippets/b.js" => Ok(B.into()),
            _ => bail!("none"),
        }
    }

    #[test]
    fn snippets_become_scopes_of_the_module_each_once() {
        let module = "/* @ts-self-types=\"./x.d.ts\" */\nimport { f, $g as h } from './snippets/a.js';\nimport * as import1 from \"./snippets/a.js\"\n\
                      import * as import2 from \"./snippets/b.js\"\nexport { f as default };\n";
        let expected = "const snippet0 = (() => {\nconst one = 1;\nfunction f(x) {\n  return x + one;\n}\nconst $g = () => one;\nreturn { f, $g };\n})();\n\
                        const snippet1 = (() => {\nasync function f() {}\nreturn { f };\n})();\n\
                        const { f, $g: h } = snippet0;\nconst import1 = snippet0;\nconst import2 = snippet1;\n\
                        /* @ts-self-types=\"./x.d.ts\" */\nexport { f as default };\n";
        assert_eq!(inlined(module, read).expect("all forms are known"), expected);
    }

    #[test]
    fn other_forms_end_the_build() {
        for module in [
            "import x from './snippets/a.js'",
            "import './snippets/a.js'",
            "import { f } from './other.js'",
            "import { f } from './snippets/c.js'",
        ] {
            assert!(inlined(module, read).is_err(), "{module}");
        }
        for snippet in ["import { x } from './y.js'", "export { x };", "export default 1;", "export * from './y.js'"] {
            assert!(scope(snippet).is_err(), "{snippet}");
        }
    }
}
