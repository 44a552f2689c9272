//! The ways to read, one file per family, and the registry of all of them.
//!
//! Synchronous families hold their timed loops whole; those that read by promises share theirs, in `lanes`, since they can
//! have several reads in flight. Each is one screen, and nothing is in them but the reads, a count of the bytes, and a [`Sink`], which
//! does nothing at all while time is taken ([`Discard`]) and takes every byte in when bytes are checked ([`Checksum`]). So what is
//! verified is the very loop that is timed.

mod bindings;
mod blob;
mod block;
mod buffered;
mod by_hand;
mod bytes;
mod cache;
mod context;
mod empty;
mod fetch;
mod file_reader;
mod indexed_db;
mod lanes;
mod laps;
mod limit;
mod locks;
mod pool;
mod promise;
#[cfg(test)]
mod registry_tests;
mod response;
mod rpc;
mod rpc_list;
mod rpc_twin;
mod shared;
mod slowed;
mod stream;
mod sync;
#[cfg(all(test, target_arch = "wasm32"))]
mod tests;
mod text;
mod twin;
mod unopened;
mod writing;

use std::future::Future;
use std::rc::Rc;

use futures_util::future::LocalBoxFuture;
use js_sys::{ArrayBuffer, JsString, Uint8Array};
use opfs_bench_core::fixture::{Checksum, Form};
use opfs_bench_core::job::{self, Fileset, Group, Job, MOST_KEPT_FILES, MethodName, Timing, Work};
use opfs_bench_core::ops::Op;
use opfs_bench_core::result::EndsUp;
use opfs_bench_core::share::Deal;
use opfs_bench_core::units::Bytes;
use web_sys::MessagePort;

use crate::clock;
use crate::deadline;
use crate::opfs::OpfsError;
pub use block::Block;
use block::Views;
pub use context::Context;
pub use empty::{MAIN as EMPTY_MAIN, POOL as EMPTY_POOL, WORKER as EMPTY_WORKER};
use laps::Buffers;
pub use laps::{Laps, READS};
use slowed::Slowed;
pub use unopened::Unopened;
pub use writing::{ReadBack, Writer, flush};

/// Every method. A new family is a file and a line here.
const REGISTRY: &[&[Method]] = &[
    promise::METHODS,
    bytes::METHODS,
    text::METHODS,
    stream::METHODS,
    file_reader::METHODS,
    response::METHODS,
    fetch::METHODS,
    sync::METHODS,
    buffered::METHODS,
    rpc::METHODS,
    rpc_list::METHODS,
    shared::METHODS,
    pool::METHODS,
    indexed_db::METHODS,
    cache::METHODS,
    limit::METHODS,
    writing::writable::METHODS,
    writing::copy::METHODS,
    locks::METHODS,
    bindings::METHODS,
    twin::METHODS,
    rpc_twin::METHODS,
    empty::METHODS,
];

/// The largest group of which a method may keep a copy: a phone has little room, and copying is not to take long.
const LARGEST_COPY: Bytes = Bytes(256 << 20);
/// The largest group that a method may hold in Wasm memory, which never becomes smaller again: what a phone's page can have without being
/// ended for it.
const LARGEST_HELD: Bytes = Bytes(64 << 20);

/// One way to read, or to do something else with files.
pub struct Method {
    /// `thread/api`.
    pub name: &'static str,
    /// Where an op's bytes are when it is over: a read's, where the method reads.
    pub ends_up: EndsUp,
    /// Whether an op can be a part of a file.
    pub parts: bool,
    /// Whether all ops must have the same length.
    pub one_length: bool,
    /// What the browser must have, by paths from the global object: `Blob.prototype.bytes`. Without it the method is absent.
    pub needs: &'static [&'static str],
    /// Whether it reads copies of the files, which are made when it opens.
    pub copies: Copies,
    /// Whether several of its reads can be in flight.
    pub queue: Queue,
    /// Which sync handles it holds where files are kept open.
    pub handles: Handles,
    /// Of a pool's method: how its workers share the ops. Each of them opens its files and reads as if it were alone.
    pub deal: Option<Deal>,
    /// Opens the group's files as the workload asks, on the thread that the method is timed on: for each kind of work that it can do.
    works: Works,
    /// Of a method that writes: whether its bytes are the file's only when that is closed, and nothing flushes them.
    commits: bool,
    /// What the worker does for a method of the main thread that asks it.
    pub serve: Option<Serve>,
}

/// How a method opens files to read, to write, to copy, to be opened again and again, and to be locked.
#[derive(Clone, Copy)]
struct Works {
    read: Option<Open>,
    write: Option<Open>,
    copy: Option<Open>,
    open: Option<Open>,
    lock: Option<Open>,
}

const NOTHING: Works = Works { read: None, write: None, copy: None, open: None, lock: None };

/// Whether a method reads copies of the group's files.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Copies {
    /// It reads the files themselves.
    None,
    /// It reads copies where files are kept open: its lock and that of other sync handles exclude each other.
    WhereKept,
    /// It reads copies that another storage holds.
    Stored,
    /// It reads copies that it holds in Wasm memory.
    Held,
}

/// Whether several reads of a method can be in flight.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Queue {
    /// As many as the group's `iodepth` says.
    Deep,
    /// One, whatever it says: its calls are synchronous.
    Synchronous,
    /// One, and so it does not fit a group with more: its loop is there to be compared with that of another method.
    OneByOne,
}

/// Which sync handles a method holds where files are kept open, one on each file.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Handles {
    /// None.
    None,
    /// Those of the group's worker, which all its methods with exclusive locks share.
    Shared,
    /// Its own.
    Own,
}

impl Method {
    /// A method that reads parts of the files themselves, by promises that every browser has.
    const fn new(name: &'static str, ends_up: EndsUp, open: Open) -> Self {
        Self::doing(name, ends_up, Works { read: Some(open), ..NOTHING })
    }

    /// A method that only writes.
    const fn writing(name: &'static str, ends_up: EndsUp, open: Open) -> Self {
        Self::doing(name, ends_up, Works { write: Some(open), ..NOTHING })
    }

    /// A method that only copies files.
    const fn copier(name: &'static str, ends_up: EndsUp, open: Open) -> Self {
        Self::doing(name, ends_up, Works { copy: Some(open), ..NOTHING })
    }

    /// A method that only takes locks.
    const fn locking(name: &'static str, ends_up: EndsUp, open: Open) -> Self {
        Self::doing(name, ends_up, Works { lock: Some(open), ..NOTHING })
    }

    const fn doing(name: &'static str, ends_up: EndsUp, works: Works) -> Self {
        let (copies, queue, handles) = (Copies::None, Queue::Deep, Handles::None);
        Self {
            name,
            ends_up,
            parts: true,
            one_length: false,
            needs: &[],
            copies,
            queue,
            handles,
            deal: None,
            works,
            commits: false,
            serve: None,
        }
    }

    /// The same that writes too.
    const fn writes(self, open: Open) -> Self {
        Self { works: Works { write: Some(open), ..self.works }, ..self }
    }

    /// The same that copies files too.
    const fn copying(self, open: Open) -> Self {
        Self { works: Works { copy: Some(open), ..self.works }, ..self }
    }

    /// The same that opens files and closes them, too.
    const fn opening(self, open: Open) -> Self {
        Self { works: Works { open: Some(open), ..self.works }, ..self }
    }

    /// The same, where what is written is the file's when that is closed.
    const fn committing(self) -> Self {
        Self { commits: true, ..self }
    }

    /// The same for every kind of work, of which nothing is done.
    const fn idle(self) -> Self {
        let open = self.works.read;
        Self { works: Works { read: open, write: open, copy: open, open, lock: open }, ..self }
    }

    /// The same for whole files only.
    const fn whole(self) -> Self {
        Self { parts: false, ..self }
    }

    /// The same for ops of one length only.
    const fn of_one_length(self) -> Self {
        Self { one_length: true, ..self }
    }

    /// The same where the browser must have this.
    const fn needs(self, needs: &'static [&'static str]) -> Self {
        Self { needs, ..self }
    }

    /// The same with copies of the files.
    const fn copies(self, copies: Copies) -> Self {
        Self { copies, ..self }
    }

    /// The same with another queue.
    const fn queue(self, queue: Queue) -> Self {
        Self { queue, ..self }
    }

    /// The same with sync handles.
    const fn handles(self, handles: Handles) -> Self {
        Self { handles, ..self }
    }

    /// The same for workers that share the ops.
    const fn dealt(self, deal: Deal) -> Self {
        Self { deal: Some(deal), ..self }
    }

    /// The same with something for the worker to do.
    const fn served(self, serve: Serve) -> Self {
        Self { serve: Some(serve), ..self }
    }

    /// Whether it does anything with files: the empty loops do not, and no job can ask for them.
    pub fn does_work(&self) -> bool {
        ![EMPTY_MAIN, EMPTY_WORKER, EMPTY_POOL].contains(&self.name)
    }

    /// How it opens a group's files for such work. None where it cannot do it.
    fn opener(&self, work: Work) -> Option<Open> {
        match work {
            Work::Read => self.works.read,
            Work::Write => self.works.write,
            Work::Copy => self.works.copy,
            Work::Open => self.works.open,
            Work::Lock => self.works.lock,
        }
    }

    /// Where the bytes of a group's op are when it is over: in memory, or in a file, as durable as that is.
    pub fn destination(&self, group: &Group) -> EndsUp {
        if !self.does_work() || matches!(group.rw.work(), Work::Open | Work::Lock) {
            return EndsUp::Nowhere;
        }
        let flushes = group.fsync > 0 || group.end_fsync;
        let closes = group.open == job::Open::Each || self.commits && group.end_fsync;
        match (group.writes(), self.commits, flushes) {
            (false, ..) => self.ends_up,
            (true, false, true) => EndsUp::FileFlushed,
            (true, ..) if closes => EndsUp::FileClosed,
            (true, ..) => EndsUp::FileBuffered,
        }
    }

    /// How many of its reads are in flight, in each worker where there are several, in the group as its arm has it.
    pub fn depth(&self, group: &Group) -> u32 {
        if self.queue == Queue::Deep { group.iodepth } else { 1 }
    }

    /// How many sync handles it holds all the time, in all workers together. Those that the group's worker shares are not counted.
    fn own_handles(&self, group: &Group) -> u32 {
        match (self.handles, self.deal) {
            // What it writes is its own.
            (Handles::Shared, _) if group.writes() => group.nrfiles,
            (Handles::None | Handles::Shared, _) => 0,
            (Handles::Own, None | Some(Deal::Files)) => group.nrfiles,
            (Handles::Own, Some(Deal::Ops)) => group.nrfiles.saturating_mul(group.numjobs),
        }
    }

    /// The bytes that its copies of a group's files take. The group is as its arm has it.
    fn copied(&self, group: &Group) -> Bytes {
        let copies = match self.copies {
            _ if group.writes() => true,
            Copies::None | Copies::Held => false,
            Copies::WhereKept => group.open == job::Open::Kept,
            Copies::Stored => true,
        };
        if copies { group.file_bytes() } else { Bytes(0) }
    }

    /// Where its copies are: all threads' methods of one API read the same, but pools of different sizes lock their files each for itself,
    /// and who writes has its own.
    fn copies_in(&self, arm: &Group, group: &Group) -> String {
        if group.writes() {
            return self.name.to_owned();
        }
        if self.deal == Some(Deal::Files) {
            return pool::copies(arm.numjobs, group.numjobs);
        }
        self.name.split_once('/').map_or(self.name, |(_, api)| api).to_owned()
    }
}

/// How a method opens a group's files.
pub type Open = for<'a> fn(&'a Context) -> LocalBoxFuture<'a, Result<Box<dyn Reader>, Unopened>>;
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
    pub async fn open(self, context: &Context) -> Result<Rc<dyn Reader>, Unopened> {
        let plain = deadline::within(deadline::ANSWER_MS, context.reader(self.method)).await?;
        Ok(match self.slowed {
            None => plain,
            Some(percent) => Rc::new(Slowed::new(plain, percent, clock::measure_tick()?)),
        })
    }
}

/// Looks a method up. Slowed ones are found by their names alone: they check the tool, and are in no list.
pub fn find(name: &MethodName) -> Option<Found> {
    let name = name.plain().to_string();
    let registered = |name: &str| all().find(|method| method.name == name);
    if let Some(method) = registered(&name) {
        return Some(Found { method, slowed: None });
    }
    let (plain, percent) = slowed::parts(&name)?;
    // A pool's time is that of its slowest worker and of messages, and no per cent of it is known.
    let method = registered(plain).filter(|method| method.does_work() && method.deal.is_none())?;
    Some(Found { method, slowed: Some(percent) })
}

/// Every method, the empty loops among them.
pub fn all() -> impl Iterator<Item = &'static Method> {
    REGISTRY.iter().flat_map(|family| family.iter())
}

/// Why an arm of a group cannot be, if so: its method cannot do the workload as the arm has it, or an option does nothing.
pub fn unfit_arm(method: &Method, name: &MethodName, group: &Group) -> Option<String> {
    let own = group.of_arm(name);
    if method.queue == Queue::Synchronous && own.iodepth != group.iodepth {
        return Some(format!("{name}: {} reads one op after another, so that it has no iodepth of its own: take that out", method.name));
    }
    if method.deal.is_none() && own.numjobs != group.numjobs {
        return Some(format!("{name}: {} has no numjobs, which says how many workers a method of a pool has: take that out", method.name));
    }
    unfit(method, &own)
}

/// Every method that can do such work.
pub fn that_do(work: Work) -> impl Iterator<Item = &'static Method> {
    all().filter(move |method| method.does_work() && method.opener(work).is_some())
}

/// Why a method cannot do a workload, if so.
pub fn unfit(method: &Method, group: &Group) -> Option<String> {
    let work = group.rw.work();
    if method.opener(work).is_none() {
        let able: Vec<&str> = that_do(work).map(|other| other.name).collect();
        let verb = match work {
            Work::Read => "read files",
            Work::Write => "write",
            Work::Copy => "copy files",
            Work::Open => "be timed opening files alone",
            Work::Lock => "take locks",
        };
        return Some(format!("{} cannot {verb}; these can: {}", method.name, able.join(", ")));
    }
    if method.commits && work == Work::Write {
        if group.fsync > 0 && group.open == job::Open::Kept {
            return Some(format!(
                "{} has no flush: what it writes is the file's when that is closed, so take end_fsync = true or open = \"each\" in place of \
                 fsync = {}",
                method.name, group.fsync
            ));
        }
        if group.iodepth > 1 && group.open == job::Open::Each {
            return Some(format!(
                "{} with open = \"each\" cannot have iodepth = {}: of two writables on one file the one that is closed last undoes what the \
                 other wrote; take open = \"kept\"",
                method.name, group.iodepth
            ));
        }
    }
    // A group of no files has no file size; that it has none is told as a mistake of its own.
    if !method.parts && group.nrfiles > 0 && !group.whole_files() {
        let file_size = group.fileset().file_size;
        return Some(format!("{} reads whole files, but an op of this group is {} of a file of {file_size}", method.name, group.bs));
    }
    if method.queue == Queue::OneByOne && group.iodepth > 1 {
        return Some(format!("{} reads one op after another, and this group has iodepth = {}", method.name, group.iodepth));
    }
    if method.deal.is_some() && group.timing == Timing::Ops {
        return Some(format!("{} is timed as a whole, since its workers read at the same time: take timing = \"ops\" out", method.name));
    }
    if method.deal == Some(Deal::Files) && group.nrfiles < group.numjobs {
        return Some(format!(
            "{} has files for each worker, since a sync handle locks its file, but {} workers cannot share nrfiles = {}: take numjobs = {2} \
             at most, or more files",
            method.name, group.numjobs, group.nrfiles
        ));
    }
    if method.copies == Copies::Held && group.file_bytes() > LARGEST_HELD {
        return Some(format!(
            "{} holds the files in WebAssembly memory, {LARGEST_HELD} of them at most; these are {}",
            method.name,
            group.file_bytes()
        ));
    }
    if method.one_length && group.is_uneven() {
        return Some(format!("{} reads blocks of one length, and these files differ in theirs", method.name));
    }
    (method.copied(group) > LARGEST_COPY)
        .then(|| format!("{} reads a copy of the files, of {LARGEST_COPY} at most; these are {}", method.name, group.file_bytes()))
}

/// Whether a method of the group gives what it reads as text.
pub fn reads_text(group: &Group) -> bool {
    named(group).iter().any(|(method, _)| matches!(method.ends_up, EndsUp::MainText | EndsUp::WorkerText))
}

/// Why a group's methods cannot hold their sync handles open at the same time, if so.
pub fn too_many_handles(group: &Group) -> Option<String> {
    let arms = || named(group).into_iter().filter(|(_, own)| own.open == job::Open::Kept);
    if locks_apart(group) && group.file_bytes() > LARGEST_COPY {
        return Some(format!(
            "methods that keep their sync handles open beside others that open them each time read a copy of the files, of {LARGEST_COPY} at \
             most; these are {}: make two groups of them",
            group.file_bytes()
        ));
    }
    let of_worker = |method: &Method| method.handles == Handles::Shared && !group.writes();
    let shared = arms().filter(|(method, _)| of_worker(method)).map(|_| ("the worker", group.nrfiles)).take(1);
    let own = arms().map(|(method, own)| (method.name, method.own_handles(&own))).filter(|(_, handles)| *handles > 0);
    let held: Vec<(&str, u32)> = shared.chain(own).collect();
    let all = held.iter().fold(0_u32, |all, (_, handles)| all.saturating_add(*handles));
    (all > MOST_KEPT_FILES).then(|| {
        let each: Vec<String> = held.iter().map(|(name, handles)| format!("{name} {handles}")).collect();
        format!(
            "{all} sync handles would be open at once, in all workers together ({}); allowed are {MOST_KEPT_FILES}, since browsers limit open \
             files: take fewer files, numjobs or methods",
            each.join(", ")
        )
    })
}

/// The methods that a group names, each once with the group as its arm has it, and again where its options differ.
fn named(group: &Group) -> Vec<(&'static Method, Group)> {
    let mut named: Vec<(&'static Method, Group)> = Vec::new();
    for name in group.named() {
        if let Some(found) = find(name) {
            let arm = (found.method, group.of_arm(name));
            if !named.iter().any(|(method, own)| method.name == arm.0.name && *own == arm.1) {
                named.push(arm);
            }
        }
    }
    named
}

/// Whether a group has methods that keep the exclusive locks of their sync handles beside methods that open such handles each time: the
/// former then read copies of the files, so that the latter find those unlocked.
fn locks_apart(group: &Group) -> bool {
    let arms = named(group);
    let any = |open: job::Open, locks: fn(Handles) -> bool| arms.iter().any(|(method, own)| own.open == open && locks(method.handles));
    any(job::Open::Kept, |handles| handles == Handles::Shared) && any(job::Open::Each, |handles| handles != Handles::None)
}

/// The copies that a group's methods make of its files: where, how many bytes, and whether they are gone when the group is over.
fn copies(group: &Group) -> Vec<(String, Bytes, bool)> {
    let mut copies: Vec<(String, Bytes, bool)> = Vec::new();
    for (method, own) in named(group) {
        let copy = (method.copies_in(&own, group), method.copied(&own), method.copies == Copies::Stored);
        if copy.1 > Bytes(0) && !copies.contains(&copy) {
            copies.push(copy);
        }
    }
    if locks_apart(group) {
        copies.push((context::KEPT.into(), group.file_bytes(), false));
    }
    copies
}

/// The bytes of the copies that a group's methods make of its files.
pub fn copied(group: &Group) -> Bytes {
    Bytes(copies(group).iter().map(|(_, bytes, _)| bytes.0).sum())
}

/// The bytes that a job writes, with the copies of the files that its methods read.
pub fn written(job: &Job) -> Bytes {
    Bytes(job.written().0 + copied_by(&job.groups, |_, _| true))
}

/// The most bytes that a job's files and copies take at a time.
pub fn held(job: &Job) -> Bytes {
    let during = |index: usize| {
        let files = job.filesets_during(index);
        let copies = copied_by(&job.groups[..=index], |group, stored| {
            files.contains(&group.fileset()) && (!stored || group.name == job.groups[index].name)
        });
        files.iter().map(|fileset| fileset.bytes().0).sum::<u64>() + copies
    };
    Bytes((0..job.groups.len()).map(during).max().unwrap_or(0))
}

/// The bytes of the copies that count, given the group and whether they are gone when it is over. Groups with the same files share them.
fn copied_by(groups: &[Group], counts: impl Fn(&Group, bool) -> bool) -> u64 {
    let mut counted: Vec<(Fileset, String, Bytes)> = Vec::new();
    for group in groups {
        for (place, bytes, stored) in copies(group) {
            let copy = (group.fileset(), place, bytes);
            if counts(group, stored) && !counted.contains(&copy) {
                counted.push(copy);
            }
        }
    }
    counted.iter().map(|(.., bytes)| bytes.0).sum()
}

/// Whether a method of the group keeps values in another storage.
pub fn stores(group: &Group) -> bool {
    named(group).iter().any(|(method, _)| method.copies == Copies::Stored)
}

/// A method, opened on a group's files.
pub trait Reader {
    /// Reads the ops and takes the time. With a checksum, every byte goes into it and the time means nothing.
    fn read<'a>(&'a self, ops: &'a [Op], check: Option<&'a mut Checksum>) -> LocalBoxFuture<'a, Result<Timed, OpfsError>>;

    /// Reads the ops. The bytes of the buffers that the browser made for them.
    fn buffers<'a>(&'a self, ops: &'a [Op]) -> LocalBoxFuture<'a, Result<u64, OpfsError>>;

    /// Takes the work on one file apart: looks it up, opens it, reads these ops, which are all of that file, and closes it. Of a method
    /// that cannot be taken apart nothing is timed.
    fn stages<'a>(&'a self, _ops: &'a [Op], _laps: &'a mut Laps) -> LocalBoxFuture<'a, Result<(), OpfsError>> {
        Box::pin(async { Ok(()) })
    }

    /// In which form what is read goes into the checksum.
    fn form(&self) -> Form {
        Form::Bytes
    }

    /// Of a method that writes: what stands around its batches.
    fn writer(&self) -> Option<&dyn Writer> {
        None
    }
}

/// A method's timed loop.
trait Loop {
    /// In which form the sink gets what is read.
    const FORM: Form = Form::Bytes;

    fn run(&self, ops: &[Op], sink: &mut impl Sink) -> impl Future<Output = Result<Timed, OpfsError>>;

    /// [`Reader::stages`].
    fn stages(&self, _ops: &[Op], _laps: &mut Laps) -> impl Future<Output = Result<(), OpfsError>> {
        async { Ok(()) }
    }
}

impl<L: Loop> Reader for L {
    fn read<'a>(&'a self, ops: &'a [Op], check: Option<&'a mut Checksum>) -> LocalBoxFuture<'a, Result<Timed, OpfsError>> {
        match check {
            None => Box::pin(async move { self.run(ops, &mut Discard).await }),
            Some(checksum) => Box::pin(self.run(ops, checksum)),
        }
    }

    fn buffers<'a>(&'a self, ops: &'a [Op]) -> LocalBoxFuture<'a, Result<u64, OpfsError>> {
        Box::pin(async move {
            let mut buffers = Buffers::default();
            self.run(ops, &mut buffers).await?;
            Ok(buffers.0)
        })
    }

    fn stages<'a>(&'a self, ops: &'a [Op], laps: &'a mut Laps) -> LocalBoxFuture<'a, Result<(), OpfsError>> {
        Box::pin(Loop::stages(self, ops, laps))
    }

    fn form(&self) -> Form {
        L::FORM
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

    /// Both together.
    fn and(self, other: Self) -> Self {
        Self { elapsed_ms: self.elapsed_ms + other.elapsed_ms, bytes: self.bytes + other.bytes }
    }
}

/// Where an op's bytes go.
trait Sink {
    /// Whether it takes any: what is done for a sink's sake alone must not stand in the timed loop.
    fn takes(&self) -> bool;
    /// Called with the block that all reads go into, before the first.
    fn begin(&mut self, block: &Block);
    /// The first bytes of it, which an op read.
    fn block(&mut self, block: &Block, length: u32);
    /// A buffer that the browser made.
    fn buffer(&mut self, buffer: &ArrayBuffer);
    /// Bytes that the browser made a buffer for.
    fn bytes(&mut self, bytes: &Uint8Array);
    /// Bytes that the browser decoded.
    fn text(&mut self, text: &JsString);
}

/// Nowhere: what stands in the timed loops, and compiles to nothing.
#[derive(Default)]
struct Discard;

impl Sink for Discard {
    #[inline(always)]
    fn takes(&self) -> bool {
        false
    }
    #[inline(always)]
    fn begin(&mut self, _: &Block) {}
    #[inline(always)]
    fn block(&mut self, _: &Block, _: u32) {}
    #[inline(always)]
    fn buffer(&mut self, _: &ArrayBuffer) {}
    #[inline(always)]
    fn bytes(&mut self, _: &Uint8Array) {}
    #[inline(always)]
    fn text(&mut self, _: &JsString) {}
}

impl Sink for Checksum {
    fn takes(&self) -> bool {
        true
    }

    fn begin(&mut self, block: &Block) {
        block.spoil();
    }

    fn block(&mut self, block: &Block, length: u32) {
        block.pieces(length, |piece| self.update(piece));
        block.spoil();
    }

    fn buffer(&mut self, buffer: &ArrayBuffer) {
        self.bytes(&Uint8Array::new(buffer));
    }

    fn bytes(&mut self, bytes: &Uint8Array) {
        self.update(&bytes.to_vec());
    }

    fn text(&mut self, text: &JsString) {
        self.update_text(&String::from(text));
    }
}
