//! fio's job file as fio parses it: sections, and in each the options that hold there.

use super::Told;

/// An option that was given.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Setting {
    /// The line, from 1.
    pub line: usize,
    /// The option, in fio's main spelling of it.
    pub name: String,
    /// What stands after `=`. None for an option alone, which switches something on.
    pub value: Option<String>,
}

impl Setting {
    /// As it stands in the file.
    pub fn shown(&self) -> String {
        self.value.as_ref().map_or_else(|| self.name.clone(), |value| format!("{}={value}", self.name))
    }
}

/// A job of fio's: a section, with the options of the global sections before it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Section {
    /// The line of its head.
    pub line: usize,
    /// What stands between the brackets.
    pub name: String,
    /// In the order in which they take effect: a later one replaces an earlier one.
    pub settings: Vec<Setting>,
}

/// Options that have two names in fio: the other one, and the one that its documentation uses.
const ALIASES: [(&str, &str); 9] = [
    ("readwrite", "rw"),
    ("blocksize", "bs"),
    ("nr_files", "nrfiles"),
    ("timeout", "runtime"),
    ("wait_for_previous", "stonewall"),
    ("io_limit", "io_size"),
    ("fileoffset", "offset"),
    ("blockalign", "ba"),
    ("blocksize_range", "bsrange"),
];

/// The sections of a file.
///
/// # Errors
/// With every line that is none of a job file.
pub(super) fn sections(text: &str, variable: impl Fn(&str) -> Option<String>) -> Result<Vec<Section>, Vec<Told>> {
    let mut sections: Vec<Section> = Vec::new();
    let mut globals: Vec<Setting> = Vec::new();
    let mut in_global = None;
    let mut wrong = Vec::new();
    for (line, text) in (1..).zip(text.lines()) {
        let text = text.trim_start_matches('\u{feff}').trim();
        if text.is_empty() || text.starts_with(['#', ';']) {
            continue;
        }
        let told = |what: &str| Told { line: Some(line), found: text.to_owned(), what: what.to_owned() };
        if let Some(rest) = text.strip_prefix('[') {
            let Some((name, _)) = rest.rsplit_once(']') else {
                wrong.push(told("a section's name ends with ]"));
                continue;
            };
            in_global = Some(name == "global");
            if in_global == Some(false) {
                sections.push(Section { line, name: name.to_owned(), settings: globals.clone() });
            }
            continue;
        }
        match setting(line, text, &variable) {
            Err(what) => wrong.push(told(&what)),
            Ok(setting) => match in_global {
                None => wrong.push(told("stands outside of a section: write [global] above it")),
                Some(true) => globals.push(setting),
                Some(false) => sections.last_mut().expect("its head was read").settings.push(setting),
            },
        }
    }
    if sections.is_empty() && wrong.is_empty() {
        wrong.push(Told { line: None, found: "the file".into(), what: "has no job: a section such as [randread] makes one".into() });
    }
    if wrong.is_empty() { Ok(sections) } else { Err(wrong) }
}

fn setting(line: usize, text: &str, variable: impl Fn(&str) -> Option<String>) -> Result<Setting, String> {
    let (name, value) = text.split_once('=').map_or((text, None), |(name, value)| (name.trim_end(), Some(value.trim_start())));
    if name.split_whitespace().nth(1).is_some() {
        let include = name.starts_with("include ");
        return Err(if include { "write what it includes into this file".into() } else { "is no option: write name=value".into() });
    }
    let name = ALIASES.iter().find(|(alias, _)| *alias == name).map_or(name, |(_, name)| name);
    // fio takes numbers up to the first space; a remark after one is common.
    let value = value.map(|value| value.split_once([';', '#']).map_or(value, |(value, _)| value.trim_end()));
    let value = value.map(|value| expanded(value, variable)).transpose()?;
    // A range of one size is that size.
    let single = value.as_deref().filter(|_| name == "bsrange").and_then(|range| range.split_once('-')).filter(|(low, high)| low == high);
    let (name, value) = single.map_or((name, value.clone()), |(size, _)| ("bs", Some(size.to_owned())));
    Ok(Setting { line, name: name.to_owned(), value })
}

/// The value with `${NAME}` replaced from the environment, as fio does.
fn expanded(value: &str, variable: impl Fn(&str) -> Option<String>) -> Result<String, String> {
    let mut left = value;
    let mut text = String::new();
    while let Some((before, name)) = left.split_once("${") {
        let (name, after) = name.split_once('}').ok_or("${ without }")?;
        let value = variable(name).ok_or_else(|| format!("the environment has no variable {name}"))?;
        text.push_str(before);
        text.push_str(&value);
        left = after;
    }
    Ok(text + left)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<Vec<Section>, Vec<Told>> {
        sections(text, |name| (name == "SIZE").then(|| "64m".to_owned()))
    }

    #[test]
    fn a_section_has_what_the_global_sections_before_it_say() {
        let text = "; made by hand\n[global]\nblocksize = 4k # a page\n\n[first]\nsize=${SIZE}\nstonewall\n[global]\nbs=16k\n[second one]\nreadwrite=read\n";
        let found = read(text).expect("a job file");
        let shown = |section: &Section| section.settings.iter().map(Setting::shown).collect::<Vec<_>>().join(" ");
        let shown: Vec<_> = found.iter().map(|section| (section.line, section.name.as_str(), shown(section))).collect();
        let wanted = [(5, "first", "bs=4k size=64m stonewall"), (10, "second one", "bs=4k bs=16k rw=read")];
        assert_eq!(shown, wanted.map(|(line, name, settings)| (line, name, settings.to_owned())));
    }

    #[test]
    fn what_is_no_job_file_is_told_line_by_line() {
        let told = |text: &str| read(text).expect_err(text).iter().map(ToString::to_string).collect::<Vec<_>>().join("\n");
        for (text, wanted) in [
            ("bs=4k\n[a]\nrw=read", "line 1: bs=4k: stands outside of a section"),
            ("[a\nrw=read", "line 1: [a: a section's name ends with ]"),
            ("[a]\ninclude other.fio", "line 2: include other.fio: write what it includes"),
            ("[a]\nsize=${NONE}", "line 2: size=${NONE}: the environment has no variable NONE"),
            ("[global]\nbs=4k", "the file: has no job"),
            ("name = \"own\"\nbudget_s = 10", "line 1: name = \"own\": stands outside of a section"),
        ] {
            assert!(told(text).contains(wanted), "{text}: {}", told(text));
        }
        assert_eq!(read("bs=4k\nrw=read\n").expect_err("two lines").len(), 2);
    }
}
