//! What the page can call.

use std::cell::RefCell;
use std::rc::Rc;

use futures_channel::oneshot;
use js_sys::{Array, Function, Promise};
use opfs_bench_core::job::{Fileset, Fitting, Group, Job, MethodName, PARAMETERS, Parameters, Problem};
use opfs_bench_core::seed::Seed;
use serde::Serialize;
use wasm_bindgen::prelude::*;
use wasm_bindgen_futures::spawn_local;

use crate::glue;
use crate::main::control::Control;
use crate::main::own::OwnFiles;
use crate::main::run;
use crate::methods;

/// Writing and checking a fixture takes about a second for this many bytes on a slow phone.
const BYTES_PER_SECOND: f64 = 32e6;
/// Creating, closing and removing a file takes about this long.
const SECONDS_PER_FILE: f64 = 0.01;
/// Opening and checking beside the budget takes about this long for each group.
const SECONDS_PER_GROUP: f64 = 1.0;

#[wasm_bindgen(start)]
fn start() {
    console_error_panic_hook::set_once();
}

/// The names of the presets.
#[wasm_bindgen]
#[must_use]
pub fn presets() -> Vec<String> {
    Job::presets().map(str::to_owned).collect()
}

/// The names of what may be changed in a preset.
#[wasm_bindgen]
#[must_use]
pub fn changeable() -> Vec<String> {
    PARAMETERS.map(str::to_owned).into()
}

/// The text of a preset.
///
/// # Errors
/// When there is none of this name.
#[wasm_bindgen]
pub fn preset(name: &str) -> Result<String, JsError> {
    let known = || Job::presets().collect::<Vec<_>>().join(", ");
    Job::preset(name).map(str::to_owned).ok_or_else(|| JsError::new(&format!("there is no preset {name:?}; there are: {}", known())))
}

/// Removes what earlier runs left in OPFS and other storages when their page was killed. How many entries; 0 while another page measures.
///
/// # Errors
/// When OPFS refuses.
#[wasm_bindgen]
pub async fn sweep() -> Result<u32, JsError> {
    crate::main::sweep::sweep().await.map_err(|error| JsError::new(&error))
}

/// A job that can be run once.
#[wasm_bindgen]
pub struct Bench {
    /// Without the changes.
    standard: Job,
    job: Job,
    changes: Parameters,
    seed: Seed,
    /// A person's own files, which the job's groups read in place of generated ones.
    own: Option<Array>,
    control: Rc<Control>,
    result: Rc<RefCell<Option<String>>>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Plan<'a> {
    name: &'a str,
    /// Without what was changed, which stands in `changes`.
    title: &'a str,
    bytes_written: f64,
    seconds: f64,
    groups: Vec<PlannedGroup<'a>>,
    /// What differs from the job without changes, name and value.
    changes: Vec<(&'static str, String)>,
    /// The same for people; empty where nothing is changed.
    told: String,
    /// The files of a person's own, in words: `own files, 37 of 1.2 KiB to 4 MiB, 12 MiB in all`. Empty where all are generated.
    own: String,
    /// What does not fit these, and why.
    left_out: Vec<(&'a str, &'a str)>,
    /// Every parameter with what the job has where nothing is changed; empty where it is of no use in this job.
    standard: Vec<(&'static str, String)>,
}

#[derive(Serialize)]
struct PlannedGroup<'a> {
    name: &'a str,
    title: &'a str,
}

#[wasm_bindgen]
impl Bench {
    /// Reads and checks a job. Without a seed, one is drawn. `changes` are parameters, each as `name=value`, that replace the job's own.
    /// `own` are `File`s of a person's, or objects that are read as such (`size`, `slice(from, to).arrayBuffer()`): the job is then measured
    /// with these.
    ///
    /// # Errors
    /// With all mistakes in the job, one a line.
    #[wasm_bindgen(constructor)]
    pub fn new(job_toml: &str, seed_hex: Option<String>, changes: Option<Vec<String>>, own: Option<Array>) -> Result<Self, JsError> {
        let standard = Job::from_toml_with(job_toml, check_methods, check_storage)?;
        let changes = changes.unwrap_or_default();
        let pairs = changes.iter().map(|change| change.split_once('=').unwrap_or((change, "")));
        let changes = Parameters::from_pairs(pairs)?;
        let mut job = standard.with(&changes)?;
        if let Some(own) = &own {
            changes.check_with_own()?;
            job = job.with_own(&OwnFiles::new(own).sizes(), &Registered)?;
        }
        job.check(check_methods, check_storage)?;
        let seed = seed_hex.map_or_else(|| Ok(draw_seed()), |digits| digits.parse())?;
        Ok(Self { changes: changes.changing(&standard), standard, job, seed, own, control: Rc::default(), result: Rc::default() })
    }

    /// What the job is called, writes and takes.
    #[wasm_bindgen(getter)]
    #[must_use]
    pub fn plan(&self) -> JsValue {
        let bytes = methods::written(&self.job).0 as f64;
        let files: u32 = self.job.filesets().iter().map(|fileset| fileset.nrfiles).sum();
        let beside = bytes / BYTES_PER_SECOND + SECONDS_PER_FILE * f64::from(files) + SECONDS_PER_GROUP * self.job.groups.len() as f64;
        let plan = Plan {
            name: &self.job.name,
            title: &self.standard.title,
            bytes_written: bytes,
            seconds: (self.job.budget_s + beside).ceil(),
            groups: self.job.groups.iter().map(|group| PlannedGroup { name: &group.name, title: &group.title }).collect(),
            changes: self.changes.pairs(),
            told: self.changes.told(),
            own: self.job.groups.iter().find_map(|group| Some(in_all(group.own.as_ref()?.fileset))).unwrap_or_default(),
            left_out: self.job.left_out.iter().map(|left| (&*left.what, &*left.why)).collect(),
            standard: PARAMETERS.into_iter().map(|name| (name, standard(&self.standard, name))).collect(),
        };
        glue::plain(&plan)
    }

    /// Runs the job. Resolves when it has ended, in whatever way, and OPFS is clean again.
    pub fn run(&self, worker_url: String, on_event: Function) -> Promise {
        let (job, seed, control, result) = (self.job.clone(), self.seed, Rc::clone(&self.control), Rc::clone(&self.result));
        let own = self.own.as_ref().map(OwnFiles::new);
        let (done, ended) = oneshot::channel();
        spawn_local(async move {
            let run = run::run(job, seed, own, &worker_url, control, on_event).await;
            result.replace(Some(run.to_json()));
            // Nobody may be waiting for it.
            let _ = done.send(());
        });
        wasm_bindgen_futures::future_to_promise(async move {
            // It ends in no other way than by being sent.
            let _ = ended.await;
            Ok(JsValue::UNDEFINED)
        })
    }

    /// Asks the run to end. It does within a second.
    pub fn stop(&self) {
        self.control.stop();
    }

    /// Notes that a program outside the page asked how far the run is.
    pub fn polled(&self) {
        self.control.polled();
    }

    /// The result's JSON, once the run has ended.
    #[must_use]
    pub fn result(&self) -> Option<String> {
        self.result.borrow().clone()
    }
}

fn in_all(fileset: Fileset) -> String {
    if fileset.nrfiles == 1 { fileset.to_string() } else { format!("{fileset}, {} in all", fileset.bytes().rounded()) }
}

/// What a job has for a parameter: every value that occurs in its groups, each once.
fn standard(job: &Job, name: &str) -> String {
    let several = job.groups.iter().any(|group| group.nrfiles > 1);
    let mut values: Vec<String> = Vec::new();
    let mut add = |value: String| {
        if !values.contains(&value) {
            values.push(value);
        }
    };
    match name {
        "budget_s" => add(job.budget_s.to_string()),
        "methods" => return job.methods().iter().map(ToString::to_string).collect::<Vec<_>>().join(","),
        _ => {
            for group in &job.groups {
                match name {
                    "bs" if !group.whole_files() => add(group.bs.to_string()),
                    "filesize" => add(group.fileset().file_size.to_string()),
                    "nrfiles" if group.nrfiles > 1 || !several => add(group.nrfiles.to_string()),
                    "iodepth" => add(group.iodepth.to_string()),
                    _ => {}
                }
            }
        }
    }
    values.join(", ")
}

/// Which methods can read files of a person's own.
struct Registered;

impl Fitting for Registered {
    fn method(&self, group: &Group, method: &MethodName) -> Option<String> {
        methods::unfit_arm(methods::find(method)?.method, method, group)
    }

    fn group(&self, group: &Group) -> Option<String> {
        methods::not_together(group)
    }
}

/// Methods are this crate's to know, so jobs are checked against them here.
fn check_methods(group: &Group) -> Vec<Problem> {
    // Whether a method fits follows from the whole workload: where a part of that is wrong, nothing is said of it.
    const WORKLOAD: &[&str] = &["rw", "bs", "size", "nrfiles", "open", "iodepth", "numjobs", "timing"];
    let named = group.methods.iter().map(|name| ("methods", name)).chain([("baseline", &group.baseline)]);
    let problems = named.filter_map(|(field, name)| {
        let (with, problem): (&[_], _) = match methods::find(name).filter(|found| found.method.does_work()) {
            None => {
                let known: Vec<&str> = methods::that_do(group.rw.work()).map(|method| method.name).collect();
                (&[], Some(format!("there is no method {}; there are: {}", name.plain(), known.join(", "))))
            }
            Some(found) => (WORKLOAD, methods::unfit_arm(found.method, name, group)),
        };
        problem.map(|text| Problem { method: Some(name.to_string()), with, ..Problem::of(field, text) })
    });
    let handles = methods::not_together(group).map(|text| Problem { with: WORKLOAD, ..Problem::of("methods", text) });
    problems.chain(handles).collect()
}

/// So is which of them read copies.
fn check_storage(job: &Job) -> Vec<Problem> {
    let (files, held) = (job.held(), methods::held(job));
    if held <= job.storage {
        return Vec::new();
    }
    let problem = format!("{} allowed, but the groups' files take {files}, and with the copies that methods read {held}", job.storage);
    vec![Problem::of("storage", problem)]
}

fn draw_seed() -> Seed {
    // Two numbers below 2^32; a benchmark's seed need not be secret.
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
    let half = || (js_sys::Math::random() * f64::from(u32::MAX)) as u64;
    Seed(half() << 32 | half())
}
