//! The worker: writes fixtures, runs the worker's methods, and serves the main thread's methods that ask it.
//!
//! It does one thing at a time, in the order in which it is asked, and keeps nothing but what [`State`] holds.

pub mod fixtures;
pub mod messages;

use std::rc::Rc;

use futures_channel::mpsc;
use futures_util::StreamExt;
use opfs_bench_core::job::MethodName;
use opfs_bench_core::share::{Deal, Share};
use wasm_bindgen::prelude::*;
use wasm_bindgen_futures::spawn_local;
use web_sys::{DedicatedWorkerGlobalScope, MessageEvent};

use crate::bench::Bench;
use crate::clock;
use crate::lines::Channel;
use crate::methods::{self, Context, Found, Reader, Served, Unopened};
use crate::opfs::{self, Directory, OpfsError};
use crate::sentinel;
use fixtures::Fixtures;
use messages::{Answer, Answered, Asked, Request, Seat};

/// Begins to answer requests. Called once, by `worker.js`, when the module is ready.
#[wasm_bindgen(js_name = serveWorker)]
pub fn serve_worker() {
    let scope: DedicatedWorkerGlobalScope = js_sys::global().unchecked_into();
    let (sender, mut requests) = mpsc::unbounded::<MessageEvent>();
    let channel = Channel::of(&scope, move |event| {
        // The receiver lives as long as the worker.
        sender.unbounded_send(event).expect("the queue is open");
    });
    post(&scope, 0, Ok(Answer::Ready));
    spawn_local(async move {
        let mut state = State::new(channel);
        while let Some(event) = requests.next().await {
            match messages::from_message(&event) {
                Ok(Asked { id, request }) => post(&scope, id, state.answer(request, &event).await),
                Err(error) => post(&scope, 0, Err(format!("the worker got a message that it cannot read: {error}"))),
            }
        }
    });
}

fn post(scope: &DedicatedWorkerGlobalScope, id: u32, answer: Result<Answer, String>) {
    scope.post_message(&messages::to_message(&Answered { id, answer })).expect("plain data can be cloned");
}

struct State {
    channel: Channel,
    cpu: Option<sentinel::Cpu>,
    storage: Option<sentinel::Storage>,
    fixtures: Fixtures,
    group: Option<OpenGroup>,
}

struct OpenGroup {
    /// One for all methods; in a pool one for each way in which its workers share the ops.
    benches: Vec<Bench>,
    /// In the order of the request, each with the place of its bench.
    readers: Vec<Option<(usize, Rc<dyn Reader>)>>,
    /// Held, not used: dropping it ends the serving.
    _served: Vec<Box<dyn Served>>,
}

impl State {
    fn new(channel: Channel) -> Self {
        Self { channel, cpu: None, storage: None, fixtures: Fixtures::default(), group: None }
    }

    async fn answer(&mut self, request: Request, event: &MessageEvent) -> Result<Answer, String> {
        match request {
            Request::Tick { folder } => {
                let tick = clock::measure_tick()?;
                self.cpu = Some(sentinel::Cpu::sized(tick));
                // A browser without sync handles has no storage sentinel; what it lacks, its methods tell.
                self.storage = match run_folder(&folder).await {
                    Ok(folder) => sentinel::Storage::open(&folder, tick).await.ok(),
                    Err(_) => None,
                };
                Ok(Answer::Tick(tick))
            }
            Request::Sentinels { cpu, storage } => {
                let cpu_read = self.cpu.filter(|_| cpu).and_then(sentinel::Cpu::read);
                // A full or failing storage is for the methods to report.
                let storage_read = self.storage.as_mut().filter(|_| storage).and_then(|sentinel| sentinel.read().ok().flatten());
                Ok(Answer::Sentinels(cpu_read, storage_read))
            }
            Request::Fixture { folder, fileset, first_file, seed, file, from, to, pass } => {
                let directory = run_folder(&folder).await.map_err(|error| error.to_string())?;
                let part = fixtures::Part { fileset, number: first_file + file, file, from, to };
                let source = if fileset.own.is_some() && pass == messages::Pass::Write {
                    fixtures::Source::Own(messages::bytes_of(event).ok_or("a file's bytes did not come with the request to write them")?)
                } else {
                    fixtures::Source::Seed(seed)
                };
                self.fixtures.part(&directory, &source, part, pass).await.map_err(|error| error.to_string())?;
                Ok(Answer::Done)
            }
            Request::FixtureDone(fileset) => Ok(Answer::Fixture(self.fixtures.finish(fileset))),
            Request::OpenGroup { folder, mut group, own, reference, index, seed, first_file, methods, served, seat } => {
                self.group = None;
                if let Some(of_group) = &mut group.own {
                    of_group.files = own.into();
                }
                let directory = run_folder(&folder).await.map_err(|error| error.to_string())?;
                let bench = || Bench::new((*group).clone(), index, seed, first_file).with_reference(reference.clone());
                let context = || Context::new(directory.clone(), (*group).clone(), None);
                let (open, opened) = match seat {
                    None => open_group(&context(), bench(), &methods, &served, &self.channel).await,
                    Some(seat) => open_seat(seat, context, bench, &methods).await,
                };
                self.group = Some(open);
                Ok(Answer::Opened(opened))
            }
            Request::Batch { method, batch } => {
                let (bench, reader) = self.reader(method)?;
                Ok(Answer::Timed(bench.sample(reader, batch).await.map_err(|error| error.to_string())?))
            }
            Request::Prepare { method, batch } => {
                self.reader(method)?.0.prepare(batch);
                Ok(Answer::Done)
            }
            Request::Read { method } => {
                let (bench, reader) = self.reader(method)?;
                Ok(Answer::Read(bench.read(reader).await.map_err(|error| error.to_string())?))
            }
            Request::Verify { method, when } => {
                let (bench, reader) = self.reader(method)?;
                let found = bench.verify(reader, when).await.map_err(|error| error.to_string())?;
                Ok(Answer::Verified { ops: found.ops, expected: found.expected, found: found.found })
            }
            Request::Flush { method } => {
                let (_, reader) = self.reader(method)?;
                if let Some(unflushed) = methods::flush(reader).await.map_err(|error| error.to_string())? {
                    let (directory, names) = unflushed;
                    flush_files(&directory, &names).await.map_err(|error| error.to_string())?;
                }
                Ok(Answer::Done)
            }
            Request::FlushFiles { folder, directory, names } => {
                let directory =
                    async { run_folder(&folder).await?.directory(&directory).await }.await.map_err(|error| error.to_string())?;
                flush_files(&directory, &names).await.map_err(|error| error.to_string())?;
                Ok(Answer::Done)
            }
            Request::Allocated { method } => {
                let (bench, reader) = self.reader(method)?;
                Ok(Answer::Allocated(bench.allocated(reader).await.map_err(|error| error.to_string())?))
            }
            Request::Stages { method, tick } => {
                let (bench, reader) = self.reader(method)?;
                Ok(Answer::Stages(bench.stages(reader, tick).await.map_err(|error| error.to_string())?))
            }
            Request::CloseGroup => {
                self.group = None;
                Ok(Answer::Done)
            }
        }
    }

    fn reader(&mut self, method: usize) -> Result<(&mut Bench, &dyn Reader), String> {
        let group = self.group.as_mut().ok_or("the worker has no group open")?;
        let (bench, reader) = group.readers.get(method).and_then(Option::as_ref).ok_or("the worker has not opened this method")?;
        Ok((&mut group.benches[*bench], &**reader))
    }
}

/// Nothing but a sync handle flushes a file. A browser without them flushes none.
async fn flush_files(directory: &Directory, names: &[String]) -> Result<(), OpfsError> {
    if opfs::has_sync_handles(directory).await? {
        for name in names {
            directory.file(name).await?.open_sync_patiently().await?.flush()?;
        }
    }
    Ok(())
}

async fn run_folder(name: &str) -> Result<Directory, OpfsError> {
    Directory::root().await?.directory(name).await
}

async fn open_group(
    context: &Context,
    bench: Bench,
    names: &[MethodName],
    served: &[(MethodName, u32)],
    channel: &Channel,
) -> (OpenGroup, Vec<Result<(), Unopened>>) {
    let mut outcomes = Vec::new();
    let mut readers = Vec::new();
    for name in names {
        let opened = match methods::find(name) {
            Some(found) => found.open(&context.of_arm(name)).await,
            None => Err(format!("there is no method {name}").into()),
        };
        outcomes.push(opened.as_ref().map(|_| ()).map_err(Clone::clone));
        readers.push(opened.ok().map(|reader| (0, reader)));
    }
    let mut serving = Vec::new();
    for (name, line) in served {
        let found = methods::find(name).map(|found| found.method);
        let begun = match found.and_then(|method| Some((method, method.serve?))) {
            Some((method, serve)) => match context.check_handles(method).await {
                Ok(()) => serve(&context.of_arm(name), channel.line(*line)).await.map_err(Unopened::from),
                Err(unopened) => Err(unopened),
            },
            None => Err(format!("{name} asks nothing of the worker").into()),
        };
        outcomes.push(begun.as_ref().map(|_| ()).map_err(Clone::clone));
        serving.extend(begun.ok());
    }
    (OpenGroup { benches: vec![bench], readers, _served: serving }, outcomes)
}

/// The same for one worker of a pool: each way to share the ops has its files, and its ops.
async fn open_seat(
    Seat { worker, workers }: Seat,
    context: impl Fn() -> Context,
    bench: impl Fn() -> Bench,
    names: &[MethodName],
) -> (OpenGroup, Vec<Result<(), Unopened>>) {
    let shares = [Deal::Files, Deal::Ops].map(|deal| Share { worker, workers, deal });
    let contexts = shares.map(|share| context().of_share(share));
    let (mut outcomes, mut readers) = (Vec::new(), Vec::new());
    for name in names {
        let place = |found: &Found| shares.iter().position(|share| Some(share.deal) == found.method.deal);
        let opened = match methods::find(name).and_then(|found| Some((place(&found)?, found))) {
            Some((place, found)) => found.open(&contexts[place].of_arm(name)).await.map(|reader| (place, reader)),
            None => Err(format!("{name} is no method of a pool").into()),
        };
        outcomes.push(opened.as_ref().map(|_| ()).map_err(Clone::clone));
        readers.push(opened.ok());
    }
    (OpenGroup { benches: shares.map(|share| bench().of_share(share)).into(), readers, _served: Vec::new() }, outcomes)
}
