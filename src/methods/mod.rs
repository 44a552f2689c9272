//! The ways to read, one file per family, and the registry of all of them.
//!
//! Each family holds its timed loops whole: one screen, and nothing in them but the reads, a count of the bytes, and a
//! [`Sink`], which does nothing at all while time is taken ([`Discard`]) and takes every byte in when bytes are checked
//! ([`Checksum`]). So what is verified is the very loop that is timed.

mod bindings;
mod block;
mod empty;
mod promise;
mod rpc;
mod slowed;
mod sync;
#[cfg(all(test, target_arch = "wasm32"))]
mod tests;
mod twin;

use std::cell::{OnceCell, RefCell};
use std::future::Future;
use std::rc::Rc;

use futures_util::future::LocalBoxFuture;
use js_sys::{ArrayBuffer, Uint8Array};
use opfs_bench_core::fixture::{Checksum, file_name};
use opfs_bench_core::job::{Group, MethodName};
use opfs_bench_core::ops::Op;
use opfs_bench_core::result::EndsUp;
use web_sys::MessagePort;

use crate::clock;
use crate::opfs::{Directory, OpfsError, SyncHandle};
pub use block::Block;
pub use empty::{MAIN as EMPTY_MAIN, WORKER as EMPTY_WORKER};
use slowed::Slowed;

/// Every method. A new family is a file and a line here.
const REGISTRY: &[&[Method]] = &[promise::METHODS, sync::METHODS, rpc::METHODS, bindings::METHODS, twin::METHODS, empty::METHODS];

/// One way to read.
pub struct Method {
    /// `thread/api`.
    pub name: &'static str,
    /// Where an op's bytes are when it is over.
    pub ends_up: EndsUp,
    /// Whether an op can be a part of a file.
    pub parts: bool,
    /// Opens the group's files as the workload asks, on the thread that the method is timed on.
    pub open: Open,
    /// What the worker does for a method of the main thread that asks it.
    pub serve: Option<Serve>,
}

impl Method {
    /// Whether it reads anything: the empty loops do not, and no job can ask for them.
    pub fn reads(&self) -> bool {
        self.ends_up != EndsUp::Nowhere
    }
}

/// How a method opens a group's files.
pub type Open = for<'a> fn(&'a Context) -> LocalBoxFuture<'a, Result<Box<dyn Reader>, OpfsError>>;
/// How a worker serves a method of the main thread, through the port, until the returned value is dropped.
pub type Serve = for<'a> fn(&'a Context, MessagePort) -> LocalBoxFuture<'a, Result<Box<dyn Served>, OpfsError>>;

/// The worker's side of a method that asks it. Dropped when the group ends.
pub trait Served {}

/// A method as a job may name it: one of the registry, or one of those with a known slowdown.
#[derive(Clone, Copy)]
pub struct Found {
    /// The registry's.
    pub method: &'static Method,
    /// By how many per cent it is slowed down. None: it is the method itself.
    slowed: Option<u8>,
}

impl Found {
    /// Opens it on a group's files.
    pub async fn open(self, context: &Context) -> Result<Rc<dyn Reader>, String> {
        let plain = context.reader(self.method).await.map_err(|error| error.to_string())?;
        Ok(match self.slowed {
            None => plain,
            Some(percent) => Rc::new(Slowed::new(plain, percent, clock::measure_tick()?)),
        })
    }
}

/// Looks a method up. Slowed ones are found by their names alone: they check the tool, and are in no list.
pub fn find(name: &MethodName) -> Option<Found> {
    let name = name.to_string();
    let registered = |name: &str| all().find(|method| method.name == name);
    if let Some(method) = registered(&name) {
        return Some(Found { method, slowed: None });
    }
    let (plain, percent) = slowed::parts(&name)?;
    let method = registered(plain).filter(|method| method.reads())?;
    Some(Found { method, slowed: Some(percent) })
}

/// Every method, the empty loops among them.
pub fn all() -> impl Iterator<Item = &'static Method> {
    REGISTRY.iter().flat_map(|family| family.iter())
}

/// Why a method cannot do a workload, if so.
pub fn unfit(method: &Method, group: &Group) -> Option<String> {
    // A group of no files has no file size; that it has none is told as a mistake of its own.
    (!method.parts && group.nrfiles > 0 && !group.whole_files()).then(|| {
        format!("{} reads whole files, but an op of this group is {} of a file of {}", method.name, group.bs, group.fileset().file_size)
    })
}

/// What a method opens: the files of a group, and what the group's methods share.
pub struct Context {
    /// Where the files are.
    pub directory: Directory,
    /// Their names, by number.
    pub names: Vec<String>,
    /// The workload.
    pub group: Group,
    /// For methods that ask the worker: the port to it.
    pub port: Option<MessagePort>,
    /// Sync handles on all files, opened by the first method that keeps them: their lock is exclusive, so there is one each.
    kept: OnceCell<Rc<[SyncHandle]>>,
    /// What is open already. A method and its slowed forms share one reader: where they lay apart in memory, they would not be equal.
    readers: RefCell<Vec<(&'static str, Rc<dyn Reader>)>>,
}

impl Context {
    /// For a group whose files are in `directory`.
    pub fn new(directory: Directory, group: Group, port: Option<MessagePort>) -> Self {
        let fileset = group.fileset();
        let names = (0..fileset.nrfiles).map(|file| file_name(&fileset, file)).collect();
        Self { directory, names, group, port, kept: OnceCell::new(), readers: RefCell::default() }
    }

    /// The same files for a method with a port of its own.
    pub fn with_port(&self, port: MessagePort) -> Self {
        Self::new(self.directory.clone(), self.group.clone(), Some(port))
    }

    /// The method's reader, opened once.
    async fn reader(&self, method: &'static Method) -> Result<Rc<dyn Reader>, OpfsError> {
        let open = self.readers.borrow().iter().find(|(name, _)| *name == method.name).map(|(_, reader)| Rc::clone(reader));
        if let Some(reader) = open {
            return Ok(reader);
        }
        let reader: Rc<dyn Reader> = (method.open)(self).await?.into();
        self.readers.borrow_mut().push((method.name, Rc::clone(&reader)));
        Ok(reader)
    }

    /// A sync handle on every file.
    async fn kept_sync_handles(&self) -> Result<Rc<[SyncHandle]>, OpfsError> {
        if let Some(kept) = self.kept.get() {
            return Ok(Rc::clone(kept));
        }
        let mut handles = Vec::with_capacity(self.names.len());
        for name in &self.names {
            handles.push(self.directory.file(name).await?.open_sync_patiently().await?);
        }
        Ok(Rc::clone(self.kept.get_or_init(|| handles.into())))
    }

    fn block_length(&self) -> usize {
        usize::try_from(self.group.bs.0).expect("a checked job's blocks are at most 64 MiB")
    }
}

/// A method, opened on a group's files.
pub trait Reader {
    /// Reads the ops and takes the time. With a checksum, every byte goes into it and the time means nothing.
    fn read<'a>(&'a self, ops: &'a [Op], check: Option<&'a mut Checksum>) -> LocalBoxFuture<'a, Result<Timed, OpfsError>>;
}

/// A method's timed loop.
trait Loop {
    fn run(&self, ops: &[Op], sink: &mut impl Sink) -> impl Future<Output = Result<Timed, OpfsError>>;
}

impl<L: Loop> Reader for L {
    fn read<'a>(&'a self, ops: &'a [Op], check: Option<&'a mut Checksum>) -> LocalBoxFuture<'a, Result<Timed, OpfsError>> {
        match check {
            None => Box::pin(async move { self.run(ops, &mut Discard).await }),
            Some(checksum) => Box::pin(self.run(ops, checksum)),
        }
    }
}

/// What a batch took and read.
#[derive(Clone, Copy, Debug)]
pub struct Timed {
    /// Milliseconds on the thread's clock. Below 0 where the clock stepped back.
    pub elapsed_ms: f64,
    /// Counted read by read.
    pub bytes: u64,
}

impl Timed {
    fn since(start_ms: f64, bytes: u64) -> Self {
        Self { elapsed_ms: clock::now_ms() - start_ms, bytes }
    }
}

/// Where an op's bytes go.
trait Sink {
    /// Whether it takes any: what is done for a sink's sake alone must not stand in the timed loop.
    fn takes(&self) -> bool;
    /// Called with the block that all reads go into, before the first.
    fn begin(&mut self, block: &Block);
    fn buffer(&mut self, buffer: &ArrayBuffer);
    fn block(&mut self, block: &Block);
}

/// Nowhere: what stands in the timed loops, and compiles to nothing.
struct Discard;

impl Sink for Discard {
    #[inline]
    fn takes(&self) -> bool {
        false
    }
    #[inline(always)]
    fn begin(&mut self, _: &Block) {}
    #[inline(always)]
    fn buffer(&mut self, _: &ArrayBuffer) {}
    #[inline(always)]
    fn block(&mut self, _: &Block) {}
}

impl Sink for Checksum {
    fn takes(&self) -> bool {
        true
    }

    fn begin(&mut self, block: &Block) {
        block.spoil();
    }

    fn buffer(&mut self, buffer: &ArrayBuffer) {
        self.update(&Uint8Array::new(buffer).to_vec());
    }

    fn block(&mut self, block: &Block) {
        block.pieces(|piece| self.update(piece));
        block.spoil();
    }
}

#[cfg(test)]
mod registry_tests {
    use std::collections::HashSet;

    use super::*;

    #[test]
    fn names_are_well_formed_and_unique() {
        let mut seen = HashSet::new();
        for method in all() {
            let name: MethodName = method.name.parse().expect(method.name);
            let found = find(&name).expect(method.name);
            assert_eq!((found.method.name, found.slowed), (method.name, None));
            assert!(seen.insert(method.name), "{} stands twice", method.name);
        }
    }

    #[test]
    fn a_slowdown_of_whole_per_cent_is_found_for_every_method_that_reads() {
        for method in all() {
            for percent in [0, 5, 100] {
                let name: MethodName = format!("{}-slowed-{percent}", method.name).parse().expect(method.name);
                let found = find(&name).map(|found| (found.method.name, found.slowed));
                assert_eq!(found, method.reads().then_some((method.name, Some(percent))), "{name}");
            }
        }
    }

    #[test]
    fn other_slowdowns_are_unknown_methods() {
        for name in [
            "main/slice-slowed-101",
            "main/slice-slowed-",
            "main/slice-slowed-05",
            "main/slice-slowed-5-slowed-5",
            "main/slice-slowed",
            "main/telepathy-slowed-5",
        ] {
            assert!(find(&name.parse().expect("well formed")).is_none(), "{name}");
        }
    }

    #[test]
    fn every_preset_names_methods_that_exist_and_fit() {
        use opfs_bench_core::job::Job;
        for preset in Job::presets() {
            let job = Job::from_toml(Job::preset(preset).expect("listed")).expect("valid");
            for group in &job.groups {
                for name in group.methods.iter().chain([&group.baseline]) {
                    let found = find(name).unwrap_or_else(|| panic!("{preset}, {}: no method {name}", group.name));
                    assert_eq!(unfit(found.method, group), None, "{preset}, {}", group.name);
                }
            }
        }
    }
}
