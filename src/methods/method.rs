//! What a method is: what it needs, what it can do, and what it takes of a group.

use futures_util::future::LocalBoxFuture;
use opfs_bench_core::job::{self, Group, Work};
use opfs_bench_core::result::EndsUp;
use opfs_bench_core::share::Deal;
use opfs_bench_core::units::Bytes;

use super::{Context, EMPTY_MAIN, EMPTY_POOL, EMPTY_WORKER, Reader, Unopened, pool};
use crate::lines::Port;
use crate::opfs::OpfsError;

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
    pub(super) works: Works,
    /// Of a method that writes: whether its bytes are the file's only when that is closed, and nothing flushes them.
    pub(super) commits: bool,
    /// What the worker does for a method of the main thread that asks it.
    pub serve: Option<Serve>,
}

/// How a method opens files to read, to write, to copy, to be opened again and again, and to be locked.
#[derive(Clone, Copy)]
pub(super) struct Works {
    pub read: Option<Open>,
    pub write: Option<Open>,
    pub copy: Option<Open>,
    pub open: Option<Open>,
    pub lock: Option<Open>,
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
    pub(super) const fn new(name: &'static str, ends_up: EndsUp, open: Open) -> Self {
        Self::doing(name, ends_up, Works { read: Some(open), ..NOTHING })
    }

    /// A method that only writes.
    pub(super) const fn writing(name: &'static str, ends_up: EndsUp, open: Open) -> Self {
        Self::doing(name, ends_up, Works { write: Some(open), ..NOTHING })
    }

    /// A method that only copies files.
    pub(super) const fn copier(name: &'static str, ends_up: EndsUp, open: Open) -> Self {
        Self::doing(name, ends_up, Works { copy: Some(open), ..NOTHING })
    }

    /// A method that only takes locks.
    pub(super) const fn locking(name: &'static str, ends_up: EndsUp, open: Open) -> Self {
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
    pub(super) const fn writes(self, open: Open) -> Self {
        Self { works: Works { write: Some(open), ..self.works }, ..self }
    }

    /// The same that copies files too.
    pub(super) const fn copying(self, open: Open) -> Self {
        Self { works: Works { copy: Some(open), ..self.works }, ..self }
    }

    /// The same that opens files and closes them, too.
    pub(super) const fn opening(self, open: Open) -> Self {
        Self { works: Works { open: Some(open), ..self.works }, ..self }
    }

    /// The same, where what is written is the file's when that is closed.
    pub(super) const fn committing(self) -> Self {
        Self { commits: true, ..self }
    }

    /// The same for every kind of work, of which nothing is done.
    pub(super) const fn idle(self) -> Self {
        let open = self.works.read;
        Self { works: Works { read: open, write: open, copy: open, open, lock: open }, ..self }
    }

    /// The same for whole files only.
    pub(super) const fn whole(self) -> Self {
        Self { parts: false, ..self }
    }

    /// The same for ops of one length only.
    pub(super) const fn of_one_length(self) -> Self {
        Self { one_length: true, ..self }
    }

    /// The same where the browser must have this.
    pub(super) const fn needs(self, needs: &'static [&'static str]) -> Self {
        Self { needs, ..self }
    }

    /// The same with copies of the files.
    pub(super) const fn copies(self, copies: Copies) -> Self {
        Self { copies, ..self }
    }

    /// The same with another queue.
    pub(super) const fn queue(self, queue: Queue) -> Self {
        Self { queue, ..self }
    }

    /// The same with sync handles.
    pub(super) const fn handles(self, handles: Handles) -> Self {
        Self { handles, ..self }
    }

    /// The same for workers that share the ops.
    pub(super) const fn dealt(self, deal: Deal) -> Self {
        Self { deal: Some(deal), ..self }
    }

    /// The same with something for the worker to do.
    pub(super) const fn served(self, serve: Serve) -> Self {
        Self { serve: Some(serve), ..self }
    }

    /// Whether it does anything with files: the empty loops do not, and no job can ask for them.
    pub fn does_work(&self) -> bool {
        ![EMPTY_MAIN, EMPTY_WORKER, EMPTY_POOL].contains(&self.name)
    }

    /// How it opens a group's files for such work. None where it cannot do it.
    pub(super) fn opener(&self, work: Work) -> Option<Open> {
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
    pub(super) fn own_handles(&self, group: &Group) -> u32 {
        match (self.handles, self.deal) {
            // What it writes is its own.
            (Handles::Shared, _) if group.writes() => group.nrfiles,
            (Handles::None | Handles::Shared, _) => 0,
            (Handles::Own, None | Some(Deal::Files)) => group.nrfiles,
            (Handles::Own, Some(Deal::Ops)) => group.nrfiles.saturating_mul(group.numjobs),
        }
    }

    /// The bytes that its copies of a group's files take. The group is as its arm has it.
    pub(super) fn copied(&self, group: &Group) -> Bytes {
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
    pub(super) fn copies_in(&self, arm: &Group, group: &Group) -> String {
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
pub type Serve = for<'a> fn(&'a Context, Port) -> LocalBoxFuture<'a, Result<Box<dyn Served>, OpfsError>>;

/// The worker's side of a method that asks it. Dropped when the group ends.
pub trait Served {}
