//! The ways to read, one file per family, and the registry of all of them.
//!
//! Synchronous families hold their timed loops whole; those that read by promises share theirs, which stand in `queue`, since they can
//! have several reads in flight. Each is one screen, and nothing is in them but the reads, a count of the bytes, and a [`Sink`], which
//! does nothing at all while time is taken ([`Discard`]) and takes every byte in when bytes are checked ([`Checksum`]). So what is
//! verified is the very loop that is timed.

mod bindings;
mod blob;
mod block;
mod bytes;
mod cache;
mod context;
mod empty;
mod fetch;
mod file_reader;
mod indexed_db;
mod laps;
mod limit;
mod locks;
mod pool;
mod promise;
mod queue;
#[cfg(test)]
mod registry_tests;
mod response;
mod rpc;
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
use wasm_bindgen::JsValue;
use web_sys::MessagePort;

use crate::clock;
use crate::deadline;
use crate::opfs::OpfsError;
pub use block::Block;
pub use context::Context;
pub use empty::{MAIN as EMPTY_MAIN, POOL as EMPTY_POOL, WORKER as EMPTY_WORKER};
use laps::Buffers;
pub use laps::{Laps, READS};
use queue::Held;
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
    rpc::METHODS,
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
        Self { name, ends_up, parts: true, needs: &[], copies, queue, handles, deal: None, works, commits: false, serve: None }
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

    /// Whether it reads or does anything else: the empty loops do not, and no job can ask for them.
    pub fn reads(&self) -> bool {
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
        if !self.reads() || matches!(group.rw.work(), Work::Open | Work::Lock) {
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

    /// How many of its reads are in flight, in each worker where there are several.
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

    /// The bytes that its copies of a group's files take.
    fn copied(&self, group: &Group) -> Bytes {
        let copies = match self.copies {
            _ if group.writes() => true,
            Copies::None | Copies::Held => false,
            Copies::WhereKept => group.open == job::Open::Kept,
            Copies::Stored => true,
        };
        if copies { group.size } else { Bytes(0) }
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
    let name = name.to_string();
    let registered = |name: &str| all().find(|method| method.name == name);
    if let Some(method) = registered(&name) {
        return Some(Found { method, slowed: None });
    }
    let (plain, percent) = slowed::parts(&name)?;
    // A pool's time is that of its slowest worker and of messages, and no per cent of it is known.
    let method = registered(plain).filter(|method| method.reads() && method.deal.is_none())?;
    Some(Found { method, slowed: Some(percent) })
}

/// Every method, the empty loops among them.
pub fn all() -> impl Iterator<Item = &'static Method> {
    REGISTRY.iter().flat_map(|family| family.iter())
}

/// Why a method cannot do a workload, if so.
pub fn unfit(method: &Method, group: &Group) -> Option<String> {
    let work = group.rw.work();
    if method.opener(work).is_none() {
        let able: Vec<&str> = all().filter(|other| other.reads() && other.opener(work).is_some()).map(|other| other.name).collect();
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
    if method.copies == Copies::Held && group.size > LARGEST_HELD {
        return Some(format!(
            "{} holds the files in WebAssembly memory, {LARGEST_HELD} of them at most; these are {}",
            method.name, group.size
        ));
    }
    (method.copied(group) > LARGEST_COPY)
        .then(|| format!("{} reads a copy of the files, of {LARGEST_COPY} at most; these are {}", method.name, group.size))
}

/// Why a group's methods cannot hold their sync handles open at the same time, if so.
pub fn too_many_handles(group: &Group) -> Option<String> {
    if group.open == job::Open::Each {
        return None;
    }
    let methods = named(group);
    let of_worker = |method: &&&Method| method.handles == Handles::Shared && !group.writes();
    let shared = methods.iter().filter(of_worker).map(|_| ("the worker", group.nrfiles)).take(1);
    let own = methods.iter().map(|method| (method.name, method.own_handles(group))).filter(|(_, handles)| *handles > 0);
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

/// The methods that a group names, each once.
fn named(group: &Group) -> Vec<&'static Method> {
    let mut methods: Vec<&'static Method> =
        group.methods.iter().chain([&group.baseline]).filter_map(|name| Some(find(name)?.method)).collect();
    methods.sort_unstable_by_key(|method| method.name);
    methods.dedup_by_key(|method| method.name);
    methods
}

/// The bytes that a job writes, with the copies of the files that its methods read, at most.
pub fn written(job: &Job) -> Bytes {
    let mut copied: Vec<(Fileset, &str, Bytes)> = Vec::new();
    for group in &job.groups {
        for method in named(group) {
            // All threads' methods of one API read the same copies, and so do all groups with the same files. Who writes has its own.
            let api = method.name.split_once('/').map_or(method.name, |(_, api)| api);
            let api = if group.writes() { method.name } else { api };
            let copy = (group.fileset(), api, method.copied(group));
            if !copied.contains(&copy) {
                copied.push(copy);
            }
        }
    }
    Bytes(job.written().0 + copied.iter().map(|(.., bytes)| bytes.0).sum::<u64>())
}

/// Whether a method of the group keeps values in another storage.
pub fn stores(group: &Group) -> bool {
    named(group).iter().any(|method| method.copies == Copies::Stored)
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
    /// Where the bytes of one op go that is read while others are.
    type Apart: Sink + Default;
    /// Whether it takes any: what is done for a sink's sake alone must not stand in the timed loop.
    fn takes(&self) -> bool;
    /// Called with the block that all reads go into, before the first.
    fn begin(&mut self, block: &Block);
    fn block(&mut self, block: &Block);
    /// A buffer that the browser made.
    fn buffer(&mut self, buffer: &ArrayBuffer);
    /// Bytes that the browser made a buffer for.
    fn bytes(&mut self, bytes: &Uint8Array);
    /// Bytes that the browser decoded.
    fn text(&mut self, text: &JsString);
    /// Called with the part of a buffer that a read is to go into, as reads before it did.
    fn reuse(&mut self, buffer: &JsValue, from: u32, length: u32);
    /// What a read put there.
    fn reused(&mut self, buffer: &JsValue, from: u32, length: u32);
    /// What an op brought whose bytes went apart. Its turn has come.
    fn join(&mut self, apart: Self::Apart);
}

/// Nowhere: what stands in the timed loops, and compiles to nothing.
#[derive(Default)]
struct Discard;

impl Sink for Discard {
    type Apart = Self;

    #[inline]
    fn takes(&self) -> bool {
        false
    }
    #[inline(always)]
    fn begin(&mut self, _: &Block) {}
    #[inline(always)]
    fn block(&mut self, _: &Block) {}
    #[inline(always)]
    fn buffer(&mut self, _: &ArrayBuffer) {}
    #[inline(always)]
    fn bytes(&mut self, _: &Uint8Array) {}
    #[inline(always)]
    fn text(&mut self, _: &JsString) {}
    #[inline(always)]
    fn reuse(&mut self, _: &JsValue, _: u32, _: u32) {}
    #[inline(always)]
    fn reused(&mut self, _: &JsValue, _: u32, _: u32) {}
    #[inline(always)]
    fn join(&mut self, _: Self) {}
}

impl Sink for Checksum {
    type Apart = Held;

    fn takes(&self) -> bool {
        true
    }

    fn begin(&mut self, block: &Block) {
        block.spoil();
    }

    fn block(&mut self, block: &Block) {
        block.pieces(|piece| self.update(piece));
        block.spoil();
    }

    fn buffer(&mut self, buffer: &ArrayBuffer) {
        self.bytes(&Uint8Array::new(buffer));
    }

    fn bytes(&mut self, bytes: &Uint8Array) {
        self.update(&bytes.to_vec());
    }

    fn text(&mut self, text: &JsString) {
        self.update(String::from(text).as_bytes());
    }

    fn reuse(&mut self, buffer: &JsValue, from: u32, length: u32) {
        Uint8Array::new_with_byte_offset_and_length(buffer, from, length).fill(0, 0, length);
    }

    fn reused(&mut self, buffer: &JsValue, from: u32, length: u32) {
        self.bytes(&Uint8Array::new_with_byte_offset_and_length(buffer, from, length));
    }

    fn join(&mut self, apart: Held) {
        apart.pieces().for_each(|piece| self.bytes(piece));
    }
}
