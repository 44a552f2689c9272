//! What a method opens.

use std::cell::{OnceCell, RefCell};
use std::rc::Rc;

use js_sys::{ArrayBuffer, Uint8Array};
use opfs_bench_core::fixture::file_names;
use opfs_bench_core::job::{Group, MethodName};
use opfs_bench_core::share::Share;
use opfs_bench_core::units::Bytes;
use web_sys::Blob;

use super::{Block, Handles, Method, Reader, Unopened};
use crate::lines::Port;
use crate::opfs::{self, Directory, OpfsError, SyncHandle};

/// Files are copied by this many bytes.
const CHUNK: u32 = 1 << 20;

/// The copies that exclusive locks are held on where other methods of the group lock the files themselves.
pub(super) const KEPT: &str = "kept";

/// The files of a group, and what the group's methods share.
pub struct Context {
    /// Where the files are.
    pub directory: Directory,
    /// Their names, by number.
    pub names: Vec<String>,
    /// The length of an op of each.
    pub lengths: Rc<[u32]>,
    /// The workload, as the arm has it that is to be opened.
    pub group: Group,
    /// For methods that ask the worker: the port to it.
    port: Option<Port>,
    /// Whether sync handles that are kept open are on copies.
    apart: bool,
    /// The group's `numjobs`, whatever the arm's.
    numjobs: u32,
    shared: Rc<Shared>,
}

/// What all arms of a group have in common on a thread, whatever their options.
#[derive(Default)]
struct Shared {
    /// Where every method reads to that reads into Wasm memory: the same place for all, so that none has a better one.
    block: OnceCell<Rc<Block>>,
    /// Sync handles on all files, opened by the first method that keeps them: their lock is exclusive, so there is one each.
    kept: OnceCell<Rc<[SyncHandle]>>,
    /// What is open already, by the method's name and the workload. A method and its slowed forms share one reader: where they lay apart
    /// in memory, they would not be equal.
    readers: RefCell<Vec<OpenReader>>,
}

type OpenReader = (&'static str, Group, Rc<dyn Reader>);

impl Context {
    /// For a group whose files are in `directory`.
    pub fn new(directory: Directory, group: Group, port: Option<Port>) -> Self {
        let names = file_names(&group);
        let length = |bytes: Bytes| u32::try_from(bytes.0).expect("a checked job's blocks are at most 64 MiB");
        let lengths = match group.own.as_ref().filter(|own| own.whole) {
            Some(own) => own.files.iter().map(|file| length(file.size)).collect(),
            None => names.iter().map(|_| length(group.bs)).collect(),
        };
        let (apart, numjobs) = (super::copies::locks_apart(&group), group.numjobs);
        Self { directory, names, lengths, group, port, apart, numjobs, shared: Rc::default() }
    }

    /// The same for an arm of this name, with the options that it has.
    pub fn of_arm(&self, name: &MethodName) -> Self {
        Self {
            directory: self.directory.clone(),
            names: self.names.clone(),
            lengths: Rc::clone(&self.lengths),
            group: self.group.of_arm(name),
            port: self.port.clone(),
            apart: self.apart,
            numjobs: self.numjobs,
            shared: Rc::clone(&self.shared),
        }
    }

    /// The same with the files alone that a worker of a pool opens.
    pub fn of_share(mut self, share: Share) -> Self {
        let files = share.files(self.group.nrfiles);
        self.names = files.iter().map(|file| self.names[*file as usize].clone()).collect();
        self.lengths = files.iter().map(|file| self.lengths[*file as usize]).collect();
        self
    }

    /// The same with copies of the files.
    pub(super) async fn on_copies(&self, directory: &str) -> Result<Self, OpfsError> {
        let copies = Self::new(self.copied_to(directory).await?, self.group.clone(), None);
        Ok(Self { names: self.names.clone(), lengths: Rc::clone(&self.lengths), apart: false, ..copies })
    }

    /// The same files for a method with a port of its own.
    pub fn with_port(&self, port: Port) -> Self {
        Self::new(self.directory.clone(), self.group.clone(), Some(port))
    }

    /// The method's reader, opened once.
    pub(super) async fn reader(&self, method: &'static Method) -> Result<Rc<dyn Reader>, Unopened> {
        let readers = &self.shared.readers;
        let is_it = |(name, group, _): &&OpenReader| *name == method.name && *group == self.group;
        let open = readers.borrow().iter().find(is_it).map(|(.., reader)| Rc::clone(reader));
        if let Some(reader) = open {
            return Ok(reader);
        }
        Unopened::unless_here(method.needs)?;
        // What a worker needs that is asked, it finds out itself.
        if method.serve.is_none() {
            self.check_handles(method).await?;
        }
        let open = method.opener(self.group.rw.work()).ok_or_else(|| format!("{} cannot do what this group asks for", method.name))?;
        let reader: Rc<dyn Reader> = open(self).await?.into();
        readers.borrow_mut().push((method.name, self.group.clone(), Rc::clone(&reader)));
        Ok(reader)
    }

    /// An error where the method needs sync handles and the browser has none.
    pub async fn check_handles(&self, method: &Method) -> Result<(), Unopened> {
        let here = method.handles == Handles::None || opfs::has_sync_handles(&self.directory).await?;
        if here { Ok(()) } else { Err(Unopened::absent(opfs::SYNC_HANDLES)) }
    }

    /// A block of Wasm memory, the same for all methods.
    pub(super) fn block(&self) -> Rc<Block> {
        Rc::clone(self.shared.block.get_or_init(|| Rc::new(Block::new(self.block_length() as usize))))
    }

    /// A sync handle on every file.
    pub(super) async fn kept_sync_handles(&self) -> Result<Rc<[SyncHandle]>, OpfsError> {
        if let Some(kept) = self.shared.kept.get() {
            return Ok(Rc::clone(kept));
        }
        let directory = if self.apart { self.copied_to(KEPT).await? } else { self.directory.clone() };
        let mut handles = Vec::with_capacity(self.names.len());
        for name in &self.names {
            handles.push(directory.file(name).await?.open_sync_patiently().await?);
        }
        Ok(Rc::clone(self.shared.kept.get_or_init(|| handles.into())))
    }

    /// Every file as it is now.
    pub(super) async fn snapshots(&self) -> Result<Vec<Blob>, OpfsError> {
        let mut files = Vec::with_capacity(self.names.len());
        for name in &self.names {
            files.push(self.directory.file(name).await?.snapshot().await?);
        }
        Ok(files)
    }

    /// The bytes of a file, for another storage.
    pub(super) async fn file_bytes(&self, name: &str) -> Result<ArrayBuffer, OpfsError> {
        opfs::array_buffer(&self.directory.file(name).await?.snapshot().await?, name).await
    }

    /// Copies of all files in a directory of their own, written by sync handles as the files are, or by a stream where there are none. Those that another worker, or
    /// an earlier group, has made are left as they are: somebody may hold their locks.
    pub(super) async fn copied_to(&self, directory: &str) -> Result<Directory, OpfsError> {
        let copies = self.directory.directory(directory).await?;
        for name in &self.names {
            let file = self.directory.file(name).await?.snapshot().await?;
            let copy = copies.create(name).await?;
            if copy.snapshot().await?.size() == file.size() {
                continue;
            }
            if !opfs::has_sync_handles(&self.directory).await? {
                let copy = copy.open_writable(false).await?;
                copy.pipe_from(&file).await?;
                continue;
            }
            let copy = copy.open_sync_patiently().await?;
            chunks(&file, name, |bytes, at| copy.write_full(&bytes.to_vec(), at)).await?;
            copy.flush()?;
        }
        Ok(copies)
    }

    /// The port of a method that asks the worker.
    pub(super) fn port(&self) -> &Port {
        self.port.as_ref().expect("methods that ask get a port")
    }

    /// How many workers a pool has whose arm does not say.
    pub(super) fn workers_of_group(&self) -> u32 {
        self.numjobs
    }

    /// The length of the longest op.
    pub(super) fn block_length(&self) -> u32 {
        u32::try_from(self.group.bs.0).expect("a checked job's blocks are at most 64 MiB")
    }
}

/// The bytes of a file in chunks, each with its offset.
pub(super) async fn chunks(
    file: &Blob,
    name: &str,
    mut take: impl FnMut(&Uint8Array, u64) -> Result<(), OpfsError>,
) -> Result<(), OpfsError> {
    let mut at = 0;
    loop {
        let buffer = opfs::array_buffer(&opfs::slice(file, name, at, CHUNK)?, name).await?;
        let bytes = Uint8Array::new(&buffer);
        if bytes.length() == 0 {
            return Ok(());
        }
        take(&bytes, at)?;
        at += u64::from(bytes.length());
    }
}
