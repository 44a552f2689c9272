//! Awaiting promises at the price of JavaScript's own `await`.
//!
//! `JsFuture` makes two closures for each promise, and hands what was awaited to a queue that runs a microtask later. Where an op is
//! one short promise this is some percent of it. Here the two functions that a promise calls are made once and used again ([`SLOTS`]),
//! and they poll the task that waits at once, in the promise's own microtask ([`spawn`]).
//!
//! Only a promise polls its task at once. Whatever else wakes a task, a channel for instance, may be in the middle of something that
//! the task would touch: then the task is polled from a microtask of its own, as `spawn_local` does it.

use std::cell::{Cell, RefCell};
use std::collections::{HashMap, VecDeque};
use std::future::{Future, poll_fn};
use std::pin::Pin;
use std::rc::Rc;
use std::sync::Arc;
use std::task::{Context, Poll, Wake, Waker};

use js_sys::Promise;
use wasm_bindgen::prelude::*;
use wasm_bindgen_futures::spawn_local;

use crate::glue;

thread_local! {
    static SLOTS: RefCell<Slots> = RefCell::default();
    static TASKS: RefCell<Tasks> = RefCell::default();
    /// Tasks that a microtask is to poll.
    static QUEUE: RefCell<VecDeque<Rc<Task>>> = RefCell::default();
    /// Wakes whatever polls them, where it waits.
    static POLLER: Cell<Option<Waker>> = const { Cell::new(None) };
    /// Whether the wake that comes next is a promise's.
    static AT_ONCE: Cell<bool> = const { Cell::new(false) };
}

// Promises

/// What a promise gives, or why it does not.
type Settlement = Result<JsValue, JsValue>;

/// One awaited promise.
enum Slot {
    Free,
    /// With whoever is to be woken.
    Waiting(Option<Waker>),
    Settled(Settlement),
    /// Nobody waits any more, but the promise will still call.
    Abandoned,
}

#[derive(Default)]
struct Slots {
    slots: Vec<Slot>,
    free: Vec<u32>,
}

impl Slots {
    fn take(&mut self) -> u32 {
        let slot = self.free.pop().unwrap_or_else(|| {
            self.slots.push(Slot::Free);
            u32::try_from(self.slots.len() - 1).expect("no page awaits so many promises")
        });
        self.slots[slot as usize] = Slot::Waiting(None);
        slot
    }

    /// What the promise gave, once; else the waker is kept.
    fn settlement(&mut self, slot: u32, waker: &Waker) -> Poll<Settlement> {
        if let Slot::Waiting(waiting) = &mut self.slots[slot as usize] {
            *waiting = Some(waker.clone());
            return Poll::Pending;
        }
        let Slot::Settled(settlement) = self.free(slot) else { unreachable!("a slot is freed when its future ends") };
        Poll::Ready(settlement)
    }

    /// Keeps what the promise gave. Whoever is to be woken for it.
    fn settle(&mut self, slot: u32, settlement: Settlement) -> Option<Waker> {
        match std::mem::replace(&mut self.slots[slot as usize], Slot::Settled(settlement)) {
            Slot::Waiting(waiting) => waiting,
            Slot::Abandoned | Slot::Free | Slot::Settled(_) => {
                self.free(slot);
                None
            }
        }
    }

    /// For a future that is dropped before its end.
    fn abandon(&mut self, slot: u32) -> Slot {
        match self.slots[slot as usize] {
            Slot::Waiting(_) => std::mem::replace(&mut self.slots[slot as usize], Slot::Abandoned),
            _ => self.free(slot),
        }
    }

    fn free(&mut self, slot: u32) -> Slot {
        self.free.push(slot);
        std::mem::replace(&mut self.slots[slot as usize], Slot::Free)
    }
}

/// A promise as a future.
#[must_use]
pub struct Settled {
    /// None once it has said what it had to say.
    slot: Option<u32>,
}

impl Settled {
    /// Begins to wait.
    pub fn of(promise: &Promise) -> Self {
        CALLBACKS.with(|_| ());
        let slot = SLOTS.with_borrow_mut(Slots::take);
        glue::when_settled(promise, slot);
        Self { slot: Some(slot) }
    }
}

impl Future for Settled {
    type Output = Settlement;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Settlement> {
        let slot = self.slot.expect("polled after its end");
        let settlement = SLOTS.with_borrow_mut(|slots| slots.settlement(slot, context.waker()));
        if settlement.is_ready() {
            self.slot = None;
        }
        settlement
    }
}

impl Drop for Settled {
    fn drop(&mut self) {
        if let Some(slot) = self.slot {
            // What a promise gave, and its waker, are dropped after the slots are let go of: they may be the last of their kind.
            let _left = SLOTS.with_borrow_mut(|slots| slots.abandon(slot));
        }
    }
}

/// What a promise calls, with the number of its slot and what it gives.
pub type Callback = Closure<dyn Fn(u32, JsValue)>;

thread_local! {
    /// For what is given, and for what is thrown. Made when a thread first waits.
    static CALLBACKS: (Callback, Callback) = {
        let fulfilled = Callback::new(|slot, value| settle(slot, Ok(value)));
        let rejected = Callback::new(|slot, error| settle(slot, Err(error)));
        glue::call_when_settled(&fulfilled, &rejected);
        (fulfilled, rejected)
    };
}

fn settle(slot: u32, settlement: Settlement) {
    let Some(waker) = SLOTS.with_borrow_mut(|slots| slots.settle(slot, settlement)) else { return };
    AT_ONCE.set(true);
    waker.wake();
    AT_ONCE.set(false);
}

// Tasks

/// Runs a future to its end on this thread, from the next microtask on.
pub fn spawn(work: impl Future<Output = ()> + 'static) {
    let task = TASKS.with_borrow_mut(|tasks| tasks.add(Box::pin(work)));
    task.poll_soon();
}

type Work = Pin<Box<dyn Future<Output = ()>>>;

struct Task {
    /// None while it is polled.
    work: RefCell<Option<Work>>,
    waker: Waker,
    /// Whether it is queued.
    queued: Cell<bool>,
    number: u32,
}

/// Those that have not ended.
#[derive(Default)]
struct Tasks {
    tasks: HashMap<u32, Rc<Task>>,
    next: u32,
}

impl Tasks {
    fn add(&mut self, work: Work) -> Rc<Task> {
        let number = self.next;
        self.next += 1;
        let waker = Waker::from(Arc::new(WakeTask(number)));
        let task = Rc::new(Task { work: RefCell::new(Some(work)), waker, queued: Cell::new(false), number });
        self.tasks.insert(number, Rc::clone(&task));
        task
    }
}

impl Task {
    fn poll(&self) {
        // Woken while it is polled, it is polled again later.
        let Some(mut work) = self.work.take() else { return };
        if work.as_mut().poll(&mut Context::from_waker(&self.waker)).is_pending() {
            self.work.replace(Some(work));
        } else {
            TASKS.with_borrow_mut(|tasks| tasks.tasks.remove(&self.number));
        }
    }

    fn poll_soon(self: Rc<Self>) {
        if self.queued.replace(true) {
            return;
        }
        QUEUE.with_borrow_mut(|queue| queue.push_back(self));
        // The first task begins the loop that polls them.
        match POLLER.take() {
            Some(poller) => poller.wake(),
            None => spawn_local(poll_fn(poll_queued)),
        }
    }
}

/// Polls the tasks that are queued, and goes on whenever it is woken.
fn poll_queued(context: &mut Context<'_>) -> Poll<()> {
    while let Some(task) = QUEUE.with_borrow_mut(VecDeque::pop_front) {
        task.queued.set(false);
        task.poll();
    }
    POLLER.set(Some(context.waker().clone()));
    Poll::Pending
}

/// Wakes the task of this number. Wakers must be able to change threads; numbers can.
struct WakeTask(u32);

impl Wake for WakeTask {
    fn wake(self: Arc<Self>) {
        self.wake_by_ref();
    }

    fn wake_by_ref(self: &Arc<Self>) {
        let Some(task) = TASKS.with_borrow(|tasks| tasks.tasks.get(&self.0).cloned()) else { return };
        // Whatever wakes next does so on account of the poll, not of the promise.
        if AT_ONCE.take() { task.poll() } else { task.poll_soon() }
    }
}

#[cfg(all(test, target_arch = "wasm32"))]
mod tests {
    use futures_channel::oneshot;
    use futures_util::future::{Either, select};
    use js_sys::Function;
    use wasm_bindgen_test::wasm_bindgen_test;

    use super::*;
    use crate::deadline;
    use crate::opfs::OpfsError;

    /// A promise, and what settles it: well, and badly.
    fn promise() -> (Promise, Function, Function) {
        let mut settle = None;
        let promise = Promise::new(&mut |resolve, reject| settle = Some((resolve, reject)));
        let (resolve, reject) = settle.expect("called at once");
        (promise, resolve, reject)
    }

    /// Settles it.
    fn call(settle: &Function, with: f64) {
        settle.call1(&JsValue::UNDEFINED, &with.into()).expect("it does not throw");
    }

    /// Runs a future as a task of its own, and waits for it from another kind of task.
    fn spawned<T: 'static>(work: impl Future<Output = T> + 'static) -> impl Future<Output = T> {
        let (done, ended) = oneshot::channel();
        spawn(async move { drop(done.send(work.await)) });
        async move { ended.await.expect("it ends") }
    }

    fn resolved(with: f64) -> Promise {
        Promise::resolve(&JsValue::from(with))
    }

    /// Slots that are not free. Other tests may have left some behind.
    fn taken() -> usize {
        SLOTS.with_borrow(|slots| slots.slots.len() - slots.free.len())
    }

    #[wasm_bindgen_test]
    async fn a_promise_gives_what_it_was_settled_with() {
        let (first, resolve, _) = promise();
        let (second, _, reject) = promise();
        call(&resolve, 1.0);
        let settled = spawned(async move {
            let first = Settled::of(&first).await;
            call(&reject, 2.0);
            (first, Settled::of(&second).await)
        });
        assert_eq!(settled.await, (Ok(1.0.into()), Err(2.0.into())));
    }

    #[wasm_bindgen_test]
    async fn slots_are_used_again_and_only_when_the_promise_has_called() {
        let before = taken();
        let (late, resolve, _) = promise();
        drop(Settled::of(&late));
        assert_eq!(taken(), before + 1, "given up, but the promise will still call");
        for _ in 0..3 {
            assert_eq!(Settled::of(&resolved(4.0)).await, Ok(4.0.into()));
            assert_eq!(taken(), before + 1);
        }
        call(&resolve, 3.0);
        Settled::of(&resolved(4.0)).await.expect("resolved");
        assert_eq!(taken(), before);
    }

    #[wasm_bindgen_test]
    async fn a_deadline_that_is_not_needed_leaves_no_slot_behind() {
        let before = taken();
        for _ in 0..10 {
            let done = deadline::within(60_000.0, async { Ok::<_, OpfsError>(()) }).await;
            assert_eq!(done, Ok(()));
        }
        Settled::of(&resolved(4.0)).await.expect("resolved");
        assert_eq!(taken(), before);
    }

    #[wasm_bindgen_test]
    async fn what_a_promise_gave_is_not_lost_on_who_comes_late() {
        let settled = Settled::of(&resolved(5.0));
        // By then it has called.
        Settled::of(&glue::sleep(5.0)).await.expect("a timer");
        assert_eq!(settled.await, Ok(5.0.into()));
    }

    #[wasm_bindgen_test]
    async fn a_task_goes_on_in_the_microtask_of_its_promise() {
        let (awaited, resolve, _) = promise();
        let went_on = Rc::new(Cell::new(false));
        let seen = Rc::clone(&went_on);
        let done = spawned(async move {
            Settled::of(&awaited).await.expect("resolved");
            went_on.set(true);
        });
        // Begins the task.
        Settled::of(&Promise::resolve(&JsValue::UNDEFINED)).await.expect("resolved");
        Settled::of(&glue::sleep(0.0)).await.expect("a timer");
        call(&resolve, 0.0);
        assert!(!seen.get(), "not before the microtask");
        let next = Closure::once_into_js({
            let seen = Rc::clone(&seen);
            move || assert!(seen.get(), "the next microtask comes after it")
        });
        let after = Promise::resolve(&JsValue::UNDEFINED);
        let after = js_sys::Reflect::get(&after, &"then".into()).expect("a promise").unchecked_into::<Function>().call1(&after, &next);
        Settled::of(after.expect("a promise").unchecked_ref()).await.expect("no assertion failed");
        done.await;
    }

    #[wasm_bindgen_test]
    async fn who_wakes_a_task_by_other_means_may_hold_what_the_task_wants() {
        let shared = Rc::new(RefCell::new(0));
        let (sender, receiver) = oneshot::channel();
        let ended = spawned({
            let shared = Rc::clone(&shared);
            async move {
                let by = receiver.await.expect("sent");
                *shared.borrow_mut() += by;
            }
        });
        let waker = spawned({
            let shared = Rc::clone(&shared);
            async move {
                Settled::of(&glue::sleep(1.0)).await.expect("a timer");
                // Right after a promise, too.
                let held = shared.borrow_mut();
                sender.send(6).expect("awaited");
                drop(held);
            }
        });
        waker.await;
        ended.await;
        assert_eq!(*shared.borrow(), 6);
    }

    #[wasm_bindgen_test]
    async fn of_two_the_first_goes_on_and_the_other_is_given_up() {
        for round in 0..20 {
            let never = promise().0;
            let first = spawned(async move {
                match select(Settled::of(&never), Settled::of(&glue::sleep(1.0))).await {
                    Either::Left(_) => "never",
                    Either::Right(_) => "timer",
                }
            });
            assert_eq!(first.await, "timer", "{round}");
        }
    }
}
