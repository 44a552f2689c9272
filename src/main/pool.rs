//! Several workers that share the ops of every batch, as the main thread sees them: it tells all to read, and waits for the last one.
//!
//! A batch has two messages to each worker. By the first it works out which ops are its own, and that is not timed; by the second it
//! reads them, and the time runs from posting that to the first worker until the last has answered. So what those messages take is in
//! the time, as it would be for a page, and what the harness does to choose its ops is not.

use futures_util::future::join_all;
use js_sys::Array;
use opfs_bench_core::result::{Verification, When};
use opfs_bench_core::share;
use opfs_bench_core::units::Nanos;

use super::remote::{Remote, unexpected};
use crate::clock;
use crate::deadline;
use crate::methods::Unopened;
use crate::worker::messages::{Answer, Batch, Request, Sampled, Seat};

/// Workers have a deadline of their own for what they read; this is for one that does not answer at all.
const SILENCE_MS: f64 = deadline::ANSWER_MS + 2_000.0;

/// Workers with a group's files open. They end when this is dropped.
pub struct Pool {
    workers: Vec<Remote>,
}

impl Pool {
    /// Starts so many workers and has each open the group's methods by the request for its place. The first opens them alone: the copies
    /// that it makes, the others find. What each method became in all workers, in the request's order.
    pub async fn open(
        remote: &Remote,
        workers: u32,
        request: impl Fn(Seat) -> Request,
    ) -> Result<(Self, Vec<Result<(), Unopened>>), String> {
        let seat = async |worker: u32| {
            let opened = async {
                let remote = remote.another().await?;
                match remote.ask(request(Seat { worker, workers })).await? {
                    Answer::Opened(outcomes) => Ok((remote, outcomes)),
                    other => Err(unexpected(&other)),
                }
            };
            opened.await.map_err(|error| in_worker(worker, workers, &error))
        };
        let (first, mut outcomes) = seat(0).await?;
        let mut pool = Self { workers: vec![first] };
        for (worker, opened) in (1..workers).zip(join_all((1..workers).map(seat)).await) {
            let (remote, others) = opened?;
            pool.workers.push(remote);
            for (outcome, other) in outcomes.iter_mut().zip(others) {
                if let (Ok(()), Err(unopened)) = (&outcome, other) {
                    *outcome = Err(match unopened {
                        Unopened::Failed { error } => in_worker(worker, workers, &error).into(),
                        absent @ Unopened::Absent { .. } => absent,
                    });
                }
            }
        }
        Ok((pool, outcomes))
    }

    /// Takes a sample of the method at this place of the request.
    pub async fn sample(&self, method: usize, batch: Batch) -> Result<Sampled, String> {
        in_time(async {
            self.ask_all(|| Request::Prepare { method, batch }).await?;
            let questions: Vec<_> = self.workers.iter().map(|worker| worker.question(Request::Read { method })).collect();
            let mut answers = Vec::with_capacity(questions.len());
            let no_buffers = Array::new();
            clock::dither(batch.dither);
            let start_ms = clock::now_ms();
            let posted = questions.iter().try_for_each(|question| question.post(&no_buffers));
            for question in questions {
                answers.push(question.answer().await);
            }
            let elapsed_ms = clock::now_ms() - start_ms;
            posted?;
            let mut bytes = 0;
            for answer in self.each(answers)? {
                bytes += if let Answer::Read(bytes) = answer { bytes } else { return Err(unexpected(&answer)) };
            }
            Ok(Sampled { elapsed: (elapsed_ms >= 0.0).then(|| Nanos::from_ms(elapsed_ms)), bytes, ops: Vec::new(), pacing: None })
        })
        .await
    }

    /// Checks the bytes of a method: every worker those of its share.
    pub async fn verify(&self, method: usize, when: When) -> Result<Verification, String> {
        in_time(async {
            let mut shares = Vec::with_capacity(self.workers.len());
            for answer in self.ask_all(|| Request::Verify { method, when }).await? {
                let Answer::Verified { ops, expected, found } = answer else { return Err(unexpected(&answer)) };
                shares.push(Verification { when, ops, expected, found });
            }
            Ok(share::joined(when, &shares))
        })
        .await
    }

    /// Has the workers close their files, so that no lock outlives the group.
    pub async fn close(self) {
        // One that does not answer is ended with the pool, and its locks with it.
        let _ = in_time(self.ask_all(|| Request::CloseGroup)).await;
    }

    /// Asks all workers the same, and waits for all of them: what is asked next finds none at work.
    async fn ask_all(&self, request: impl Fn() -> Request) -> Result<Vec<Answer>, String> {
        self.each(join_all(self.workers.iter().map(|worker| worker.ask(request()))).await)
    }

    /// The answers, or the first error with its worker.
    fn each(&self, answers: Vec<Result<Answer, String>>) -> Result<Vec<Answer>, String> {
        let workers = u32::try_from(self.workers.len()).expect("a checked job has at most 128");
        (0..).zip(answers).map(|(worker, answer)| answer.map_err(|error| in_worker(worker, workers, &error))).collect()
    }
}

fn in_worker(worker: u32, workers: u32, error: &str) -> String {
    if workers == 1 { error.to_owned() } else { format!("worker {} of {workers}: {error}", worker + 1) }
}

async fn in_time<T>(work: impl Future<Output = Result<T, String>>) -> Result<T, String> {
    deadline::within(SILENCE_MS, work).await
}
