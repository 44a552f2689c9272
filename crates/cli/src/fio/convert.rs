//! Makes a job of a fio job file.

use opfs_bench_core::job::{BadJob, Job, MethodName};
use opfs_bench_core::seed::Seed;
use opfs_bench_core::units::Bytes;

use super::file::{Section, Setting, sections};
use super::options::{self, ASYNCHRONOUS, SYNCHRONOUS, Use};
use super::text::{slug, title, toml, unlike};
use super::{Refused, Told, in_order, number};

/// Those of fio's words for `rw` that a job knows, and means the same by.
const MEASURED: [&str; 4] = ["read", "randread", "write", "randwrite"];

/// Seconds for a job that says no `runtime`: fio would read its `size` once.
const RUNTIME_S: f64 = 10.0;

/// What a fio job file became.
#[derive(Clone, Debug)]
pub struct Converted {
    /// The job's text.
    pub toml: String,
    /// The job.
    pub job: Job,
    /// fio's `randseed`, where one is given.
    pub seed: Option<Seed>,
    /// What of the file is not used or means something else here, in the order of the lines.
    pub notes: Vec<Told>,
}

/// Makes a job of a fio job file. Its methods are the usual ones for its workload, or `methods`, of which the first is the baseline. Where
/// `only` names sections, the others are left out, as with fio's `--section`.
///
/// # Errors
/// With everything in the file that cannot be measured here.
pub fn convert(file_name: &str, text: &str, methods: &[MethodName], only: &[String]) -> Result<Converted, Refused> {
    let mut sections = sections(text, |name| std::env::var(name).ok()).map_err(Refused)?;
    if let Some(missing) = only.iter().find(|name| sections.iter().all(|section| section.name != **name)) {
        let names: Vec<String> = sections.iter().map(|section| section.name.clone()).collect();
        return Err(Refused(vec![Told {
            line: None,
            found: "the file".into(),
            what: format!("has no section {missing}; it has {}", names.join(", ")),
        }]));
    }
    sections.retain(|section| only.is_empty() || only.contains(&section.name));
    let mut reader = Reader { notes: Vec::new(), refused: Vec::new() };
    let mut groups: Vec<Converting> = Vec::new();
    let mut measured = Vec::new();
    for (number, section) in sections.iter().enumerate() {
        let name = unlike(slug(&section.name, "job"), &groups);
        if let Some(group) = reader.section(section, name, methods) {
            if number > 0 && !group.stonewall {
                let what =
                    "fio would run it at the same time as the job before it, since it has no stonewall; here each is measured alone".into();
                reader.notes.push(Told { line: Some(section.line), found: format!("[{}]", section.name), what });
            }
            groups.push(group);
            measured.push(format!("--section {:?}", section.name));
        }
    }
    if !reader.refused.is_empty() && !measured.is_empty() {
        let what = format!("has sections that can be measured: add {}", measured.join(" "));
        reader.refused.push(Told { line: None, found: "the file".into(), what });
    }
    reader.runtimes(&groups);
    let seed = reader.seed(&groups);
    let Reader { notes, mut refused } = reader;
    if refused.is_empty() {
        let toml = toml(file_name, &groups);
        match Job::from_toml(&toml) {
            Ok(job) => return Ok(Converted { toml, job, seed, notes: in_order(notes) }),
            Err(bad) => refused = blamed(bad, &groups),
        }
    }
    Err(Refused(in_order(refused)))
}

/// A group on the way from a section.
pub(super) struct Converting {
    pub line: usize,
    pub section: String,
    pub name: String,
    pub title: String,
    pub rw: String,
    pub bs: u64,
    pub size: u64,
    pub nrfiles: u32,
    pub iodepth: u32,
    pub numjobs: u32,
    pub rate_iops: Option<u32>,
    pub fsync: u32,
    pub end_fsync: bool,
    pub runtime: Option<(usize, f64)>,
    pub randseed: Option<(usize, u64)>,
    pub stonewall: bool,
    pub methods: Vec<MethodName>,
}

/// Reads sections, and gathers what is to be told.
struct Reader {
    notes: Vec<Told>,
    refused: Vec<Told>,
}

/// The options of a section that are read, each as it was given last.
struct Given<'a> {
    section: &'a Section,
    kb_base: u64,
}

impl<'a> Given<'a> {
    fn setting(&self, name: &str) -> Option<&'a Setting> {
        self.section.settings.iter().rfind(|setting| setting.name == name)
    }

    /// The value for what is measured: of `bs=4k,8k` the first is of reads and the second of writes; a single one is of both.
    fn value(&self, name: &str) -> Option<&'a str> {
        let value = self.setting(name)?.value.as_deref()?;
        let writes = self.word("rw").is_some_and(|rw| rw.contains("write"));
        let mut values = value.split(',').map(str::trim);
        let first = values.next()?;
        Some(values.next().filter(|second| writes && !second.is_empty()).unwrap_or(first))
    }

    fn word(&self, name: &str) -> Option<&'a str> {
        self.setting(name)?.value.as_deref()
    }

    /// Whether a switch is on: alone, or with any value but 0.
    fn on(&self, name: &str) -> bool {
        self.setting(name).is_some_and(|setting| setting.value.as_deref() != Some("0"))
    }
}

impl Reader {
    fn section(&mut self, section: &Section, name: String, methods: &[MethodName]) -> Option<Converting> {
        let before = self.refused.len();
        let kb_base = section.settings.iter().rfind(|setting| setting.name == "kb_base").and_then(|setting| setting.value.as_deref());
        let given = Given { section, kb_base: if kb_base == Some("1000") { 1000 } else { 1024 } };
        for setting in &section.settings {
            self.tell(setting);
        }
        let rw = self.rw(&given);
        let bs = self.bytes(&given, "bs").unwrap_or(4096);
        let nrfiles = self.nrfiles(&given);
        let size = self.size(&given, bs, nrfiles);
        let iodepth = self.iodepth(&given);
        let numjobs = self.whole(&given, "numjobs").unwrap_or(1);
        if numjobs > 1 {
            self.note(&given, "numjobs", "methods of pool/ have so many workers, which share the ops and the files; fio's processes would each do all ops on files of their own");
        }
        let runtime =
            given.setting("runtime").and_then(|setting| self.read(setting, number::seconds).map(|seconds| (setting.line, seconds)));
        let randseed = given
            .setting("randseed")
            .and_then(|setting| self.read(setting, |text| number::bytes(text, 1024)).map(|seed| (setting.line, seed)));
        let (fsync, end_fsync) = (self.whole(&given, "fsync").unwrap_or(0), given.on("end_fsync"));
        let rate_iops = self.whole(&given, "rate_iops").filter(|rate| *rate > 0);
        if let (Some(setting), true) = (given.setting("rate_iops").filter(|_| rate_iops.is_some()), iodepth > 1) {
            self.refuse(setting, format!("ops at a rate are timed one by one, so none of {iodepth} in flight: write iodepth=1"));
        }
        let (rw, size) = (rw?, size?);
        let file_size = size / u64::from(nrfiles.max(1));
        let writes = rw.contains("write");
        if !writes {
            for name in ["fsync", "end_fsync"].into_iter().filter(|name| given.on(name)) {
                self.note(&given, name, "not used: nothing is written, so nothing can be flushed");
            }
        }
        let methods =
            if methods.is_empty() { usual(writes, writes && fsync > 0, bs == file_size, numjobs, nrfiles) } else { methods.to_vec() };
        let title =
            given.word("description").filter(|text| !text.is_empty()).map_or_else(|| title(&rw, bs, size, nrfiles, iodepth), str::to_owned);
        (self.refused.len() == before).then(|| Converting {
            line: section.line,
            section: section.name.clone(),
            name,
            title,
            rw,
            bs,
            size,
            nrfiles,
            iodepth,
            numjobs,
            rate_iops,
            fsync: if writes { fsync } else { 0 },
            end_fsync: writes && end_fsync,
            runtime,
            randseed,
            stonewall: given.on("stonewall"),
            methods,
        })
    }

    /// What is to be told of an option by itself.
    fn tell(&mut self, setting: &Setting) {
        let told = |what: String| Told { line: Some(setting.line), found: setting.shown(), what };
        match options::of(&setting.name) {
            Some(Use::Read) => {}
            Some(Use::Unused(why)) => self.notes.push(told(why.into())),
            Some(Use::Needed(_)) if options::is_off(&setting.name, setting.value.as_deref()) => {}
            Some(Use::Needed(why)) => self.refused.push(told(format!("would be measured as something else: {why}"))),
            None => self.refused.push(told("is no option of fio's that is known here; names are in lower case".into())),
        }
    }

    fn note(&mut self, given: &Given, name: &str, what: &str) {
        if let Some(setting) = given.setting(name) {
            self.notes.push(Told { line: Some(setting.line), found: setting.shown(), what: what.to_owned() });
        }
    }

    fn refuse(&mut self, setting: &Setting, what: String) {
        self.refused.push(Told { line: Some(setting.line), found: setting.shown(), what });
    }

    fn read<T>(&mut self, setting: &Setting, read: impl FnOnce(&str) -> Result<T, String>) -> Option<T> {
        let value = setting.value.as_deref().unwrap_or_default();
        read(value).map_err(|what| self.refuse(setting, what)).ok()
    }

    /// A size.
    fn bytes(&mut self, given: &Given, name: &str) -> Option<u64> {
        let (setting, value) = (given.setting(name)?, given.value(name).unwrap_or_default());
        self.read(setting, |_| number::bytes(value, given.kb_base))
    }

    /// A number.
    fn whole(&mut self, given: &Given, name: &str) -> Option<u32> {
        let (setting, value) = (given.setting(name)?, given.value(name).unwrap_or_default());
        let number = self.read(setting, |_| number::bytes(value, given.kb_base))?;
        u32::try_from(number).map_err(|_| self.refuse(setting, "is too large".into())).ok()
    }

    /// fio's word for what an op does, if a job has it too.
    fn rw(&mut self, given: &Given) -> Option<String> {
        let Some(setting) = given.setting("rw") else { return Some("read".into()) };
        let word = setting.value.as_deref().unwrap_or_default();
        if word.contains(':') {
            self.refuse(
                setting,
                "would be measured as something else: each op is of one block, and blocks come in order or each once at random".into(),
            );
            return None;
        }
        if MEASURED.contains(&word) {
            return Some(word.to_owned());
        }
        let measured: Vec<String> = MEASURED.iter().map(|word| format!("`{word}`")).collect();
        self.refuse(setting, format!("is not measured here; measured are {}", measured.join(", ")));
        None
    }

    fn nrfiles(&mut self, given: &Given) -> u32 {
        let named = given.word("filename").map_or(1, |names| names.replace("\\:", "").split(':').count());
        self.note(given, "filename", "not used: the files are in the browser's private file system, made anew and removed afterwards");
        let nrfiles = self.whole(given, "nrfiles").unwrap_or(1);
        // As in fio, names count as the files.
        let nrfiles = if named > 1 { u32::try_from(named).unwrap_or(u32::MAX) } else { nrfiles };
        if nrfiles > 1 && !given.section.settings.iter().any(|setting| setting.name == "file_service_type") {
            self.note(given, "nrfiles", "one file is read after the other; fio's file_service_type would change the file with every block");
        }
        nrfiles
    }

    /// The bytes of all files, in whole blocks.
    fn size(&mut self, given: &Given, bs: u64, nrfiles: u32) -> Option<u64> {
        let files = u64::from(nrfiles.max(1));
        let (size, filesize) = (self.bytes(given, "size"), self.bytes(given, "filesize"));
        let of_files = filesize.and_then(|filesize| filesize.checked_mul(files));
        let setting = given.setting("size").or_else(|| given.setting("filesize"));
        let Some(setting) = setting else {
            let what = "has no size, and there is no device whose size could be taken: write size=64m".into();
            self.refused.push(Told { line: Some(given.section.line), found: format!("[{}]", given.section.name), what });
            return None;
        };
        let size = match (size, of_files) {
            (Some(size), Some(of_files)) if size != of_files => {
                self.refuse(setting, format!("only whole files are laid out here, and {files} of filesize are {}", Bytes(of_files)));
                return None;
            }
            (size, of_files) => size.or(of_files)?,
        };
        let block = bs.max(1) * files;
        let whole = size / block * block;
        if whole != size && whole > 0 {
            self.notes.push(Told {
                line: Some(setting.line),
                found: setting.shown(),
                what: format!("{} are measured: whole blocks in files of the same size", Bytes(whole)),
            });
        }
        Some(if whole == 0 { size } else { whole })
    }

    /// How many reads fio would have in flight.
    fn iodepth(&mut self, given: &Given) -> u32 {
        let iodepth = self.whole(given, "iodepth").unwrap_or(1);
        let engine = given.setting("ioengine");
        let name = engine.and_then(|setting| setting.value.as_deref()).unwrap_or("psync");
        let synchronous = SYNCHRONOUS.contains(&name);
        if let Some(setting) = engine {
            if synchronous || ASYNCHRONOUS.contains(&name) {
                self.note(given, "ioengine", "not used: the browser's own calls take its place");
            } else {
                self.refuse(setting, "is no engine that reads and writes plain files".into());
            }
        }
        if synchronous && iodepth > 1 {
            self.note(given, "iodepth", &format!("1 is measured: fio's engine {name} is synchronous, so it has one op in flight whatever iodepth says (ioengine=libaio would have more)"));
            return 1;
        }
        iodepth
    }

    /// A run has one budget, which its groups share.
    fn runtimes(&mut self, groups: &[Converting]) {
        let runtimes: Vec<f64> = groups.iter().map(runtime_s).collect();
        if runtimes.windows(2).any(|pair| pair[0] != pair[1]) {
            for (line, seconds) in groups.iter().filter_map(|group| group.runtime) {
                let what = format!("all groups together have {} s, which they share", runtimes.iter().sum::<f64>());
                self.notes.push(Told { line: Some(line), found: format!("runtime of {seconds} s"), what });
            }
        }
    }

    fn seed(&mut self, groups: &[Converting]) -> Option<Seed> {
        let mut seeds = groups.iter().filter_map(|group| group.randseed);
        let (_, seed) = seeds.next()?;
        for (line, _) in seeds.filter(|(_, other)| *other != seed) {
            self.notes.push(Told {
                line: Some(line),
                found: "randseed".into(),
                what: format!("not used: a run has one seed, here {seed}"),
            });
        }
        Some(Seed(seed))
    }
}

/// Seconds that a group is given.
pub(super) fn runtime_s(group: &Converting) -> f64 {
    group.runtime.map_or(RUNTIME_S, |(_, seconds)| seconds)
}

/// The methods that answer the tool's question for such a workload.
fn usual(writes: bool, flushes: bool, whole_files: bool, numjobs: u32, nrfiles: u32) -> Vec<MethodName> {
    let mut names = match (writes, whole_files) {
        // A writable has no flush.
        (true, _) if flushes => vec!["worker/sync", "rpc/transfer"],
        (true, _) => vec!["main/writable", "worker/writable", "worker/sync"],
        (false, true) => vec!["main/array-buffer", "worker/array-buffer", "worker/sync", "rpc/transfer"],
        (false, false) => vec!["main/slice", "worker/slice", "worker/sync", "rpc/transfer"],
    };
    if !writes && numjobs > 1 {
        names.push("pool/slice");
        // A sync handle locks its file, so each worker needs one.
        names.extend((nrfiles >= numjobs).then_some("pool/sync"));
    }
    names.into_iter().map(|name| name.parse().expect("a method's name")).collect()
}

/// Mistakes of the job that was made, told of the section that they come from.
fn blamed(bad: BadJob, groups: &[Converting]) -> Vec<Told> {
    bad.mistakes
        .into_iter()
        .map(|mistake| {
            let group = groups.iter().find(|group| mistake.place == format!("group {}", group.name));
            let field = mistake.field.unwrap_or_default();
            let (line, section) = group.map_or((None, "the file".to_owned()), |group| (Some(group.line), format!("[{}]", group.section)));
            Told { line, found: format!("{section}, {field}"), what: mistake.problem }
        })
        .collect()
}

#[cfg(test)]
#[path = "convert_tests.rs"]
mod tests;
