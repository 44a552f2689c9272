//! The worker, as the main thread sees it: requests that become futures.

use std::cell::{Cell, RefCell};
use std::collections::HashMap;
use std::rc::Rc;

use futures_channel::oneshot;
use js_sys::{Array, Uint8Array};
use wasm_bindgen::prelude::*;
use web_sys::{ErrorEvent, MessageEvent, Worker, WorkerOptions, WorkerType};

use crate::lines::{Channel, Port};
use crate::opfs::told;
use crate::worker::messages::{Answer, Answered, Asked, Request, from_message, to_message, with_bytes};

type Pending = Rc<RefCell<Waiting>>;

/// Who waits for which answer.
#[derive(Default)]
struct Waiting {
    answers: HashMap<u32, oneshot::Sender<Result<Answer, String>>>,
    /// A worker that failed once may never answer again.
    failure: Option<String>,
}

/// A worker that answers. It ends when this is dropped, whatever it is doing, and its locks with it.
pub struct Remote {
    url: String,
    worker: Worker,
    pending: Pending,
    channel: Channel,
    /// The number of the next request or line.
    next: Cell<u32>,
    _on_error: Closure<dyn FnMut(ErrorEvent)>,
}

impl Remote {
    /// Starts the worker with the module that this thread runs, and waits for its first word.
    pub async fn start(url: &str) -> Result<Self, String> {
        let options = WorkerOptions::new();
        options.set_type(WorkerType::Module);
        let worker =
            Worker::new_with_options(url, &options).map_err(|error| format!("the worker {url} did not start: {}", told(&error)))?;
        let pending = Pending::default();
        let channel = Channel::of(&worker, {
            let pending = Rc::clone(&pending);
            move |event: MessageEvent| {
                let Ok(Answered { id, answer }) = from_message(&event) else {
                    return fail(&pending, "the worker sent a message that the page cannot read");
                };
                if let Some(waiting) = take(&pending, id) {
                    // Whoever asked may have been given up.
                    let _ = waiting.send(answer);
                }
            }
        });
        let on_error = Closure::<dyn FnMut(ErrorEvent)>::new({
            let pending = Rc::clone(&pending);
            move |event: ErrorEvent| {
                let message = js_sys::Reflect::get(&event, &"message".into()).ok().and_then(|message| message.as_string());
                fail(&pending, &format!("the worker failed: {}", message.unwrap_or_else(|| "its script did not load".into())));
            }
        });
        worker.set_onerror(Some(on_error.as_ref().unchecked_ref()));
        let remote = Self { url: url.to_owned(), worker, pending, channel, next: Cell::new(1), _on_error: on_error };
        let ready = remote.expect(0);
        remote
            .worker
            .post_message(&wasm_bindgen::module())
            .map_err(|error| format!("the worker did not take the module: {}", told(&error)))?;
        match settled(ready).await? {
            Answer::Ready => Ok(remote),
            other => Err(unexpected(&other)),
        }
    }

    /// Starts another such worker.
    pub async fn another(&self) -> Result<Self, String> {
        Self::start(&self.url).await
    }

    /// Asks, and waits for the answer.
    pub async fn ask(&self, request: Request) -> Result<Answer, String> {
        let question = self.question(request);
        question.post(&Array::new())?;
        question.answer().await
    }

    /// Asks, and hands these bytes over.
    pub async fn ask_with_bytes(&self, request: Request, bytes: &Uint8Array) -> Result<Answer, String> {
        let question = self.question(request);
        let question = Question { asked: with_bytes(&question.asked, bytes), ..question };
        question.post(&Array::of1(&bytes.buffer()))?;
        question.answer().await
    }

    /// A request that is ready to be posted.
    pub fn question(&self, request: Request) -> Question<'_> {
        let id = self.number();
        Question { worker: &self.worker, asked: to_message(&Asked { id, request }), answer: self.expect(id) }
    }

    /// Opens a new line to the worker: its number, by which the worker opens the other end, and this one.
    pub fn line(&self) -> (u32, Port) {
        let number = self.number();
        (number, self.channel.line(number))
    }

    fn number(&self) -> u32 {
        self.next.replace(self.next.get() + 1)
    }

    /// An error once the worker has failed.
    pub fn failed(&self) -> Result<(), String> {
        self.pending.borrow().failure.clone().map_or(Ok(()), Err)
    }

    fn expect(&self, id: u32) -> oneshot::Receiver<Result<Answer, String>> {
        let (sender, receiver) = oneshot::channel();
        let Waiting { answers, failure } = &mut *self.pending.borrow_mut();
        match failure {
            // The receiver is here.
            Some(error) => drop(sender.send(Err(error.clone()))),
            None => drop(answers.insert(id, sender)),
        }
        receiver
    }
}

/// A request in two steps: where time is taken, all else is done before.
#[must_use]
pub struct Question<'a> {
    worker: &'a Worker,
    asked: JsValue,
    answer: oneshot::Receiver<Result<Answer, String>>,
}

impl Question<'_> {
    /// Asks, and hands these buffers over.
    pub fn post(&self, buffers: &Array) -> Result<(), String> {
        self.worker
            .post_message_with_transfer(&self.asked, buffers)
            .map_err(|error| format!("the worker was not reached: {}", told(&error)))
    }

    /// Waits for the answer.
    pub async fn answer(self) -> Result<Answer, String> {
        settled(self.answer).await
    }
}

/// The error for an answer to another question.
pub fn unexpected(answer: &Answer) -> String {
    format!("the worker answered {answer:?} to another question")
}

async fn settled(answer: oneshot::Receiver<Result<Answer, String>>) -> Result<Answer, String> {
    answer.await.unwrap_or_else(|_| Err("the worker ended".into()))
}

fn take(pending: &Pending, id: u32) -> Option<oneshot::Sender<Result<Answer, String>>> {
    pending.borrow_mut().answers.remove(&id)
}

fn fail(pending: &Pending, error: &str) {
    let waiting = {
        let mut pending = pending.borrow_mut();
        pending.failure.get_or_insert_with(|| error.to_owned());
        std::mem::take(&mut pending.answers)
    };
    for (_, waiting) in waiting {
        let _ = waiting.send(Err(error.to_owned()));
    }
}

impl Drop for Remote {
    fn drop(&mut self) {
        self.worker.terminate();
    }
}
