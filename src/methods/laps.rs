//! A method's work, taken apart: each stage is timed by itself, pass after pass, after the group's rounds. A stage may be shorter than the
//! clock's tick; since passes begin anywhere within one, the mean of such readings is still right.

use js_sys::{ArrayBuffer, JsString, Uint8Array};
use opfs_bench_core::result::{Stage, StageTimes};
use opfs_bench_core::sort;
use opfs_bench_core::units::Nanos;

use super::{Block, Sink};
use crate::clock;
use crate::opfs::{Directory, FileHandle, OpfsError};

/// Passes over a method: at least, and at most where they are short.
pub const PASSES: (usize, usize) = (12, 32);
/// When so many milliseconds are over, the least number of passes will do; when ten times as many are, whatever there is.
pub const ENOUGH_MS: f64 = 100.0;
/// Reads of a pass after the first.
pub const READS: u64 = 16;
/// How often a block is copied for one reading.
const COPIES: u32 = 16;
/// Passes wait for this part of a tick more, each: the golden ratio spreads them evenly.
const GOLDEN: f64 = 0.618_033_988_749_895;

/// The readings of all passes so far.
pub struct Laps {
    tick: Nanos,
    began_ms: f64,
    lap_ms: f64,
    phase: f64,
    times: Vec<StageTimes>,
    /// Where copies go to, as long as a block of the group.
    block: Block,
}

impl Laps {
    /// None yet, by a clock of this tick.
    pub fn new(tick: Nanos, block_length: usize) -> Self {
        let now_ms = clock::now_ms();
        Self { tick, began_ms: now_ms, lap_ms: now_ms, phase: 0.0, times: Vec::new(), block: Block::new(block_length) }
    }

    /// Begins a lap anywhere within a tick.
    pub fn begin(&mut self) {
        self.phase = (self.phase + GOLDEN).fract();
        clock::dither(Nanos::from_ms(self.tick.as_ms() * self.phase));
        self.lap_ms = clock::now_ms();
    }

    /// Ends a lap, which was so many calls of a stage, and begins the next.
    #[allow(clippy::cast_possible_truncation)] // some dozen calls
    pub fn end(&mut self, stage: Stage, calls: usize) {
        let now_ms = clock::now_ms();
        let reading = Nanos::from_ms((now_ms - self.lap_ms).max(0.0));
        match self.times.iter_mut().find(|times| times.stage == stage) {
            Some(times) => times.readings_ns.push(reading),
            None => self.times.push(StageTimes { stage, calls: calls as u32, readings_ns: vec![reading] }),
        }
        self.lap_ms = clock::now_ms();
    }

    /// Begins with the first stages: finds the file in its directory, which is looked up from the root on.
    pub async fn look_up(&mut self, directory: &Directory, name: &str) -> Result<FileHandle, OpfsError> {
        self.begin();
        let directory = Directory::root().await?.directory(&directory.name()).await?;
        self.end(Stage::Directory, 1);
        let file = directory.file(name).await?;
        self.end(Stage::FileHandle, 1);
        Ok(file)
    }

    /// Copies what a read brought into Wasm memory, and times that.
    pub(super) fn copy(&mut self, read: &[Uint8Array]) {
        let view = self.block.view();
        let room = view.js().length();
        self.begin();
        for _ in 0..COPIES {
            let mut at = 0;
            for piece in read {
                if at + piece.length() <= room {
                    view.js().set(piece, at);
                }
                at += piece.length();
            }
        }
        self.end(Stage::Copy, COPIES as usize);
    }

    /// Whether passes go on.
    pub fn go_on(&self) -> bool {
        let passes = self.times.first().map_or(0, |times| times.readings_ns.len());
        let passed_ms = clock::now_ms() - self.began_ms;
        passes < PASSES.1 && (passes < PASSES.0 || passed_ms < ENOUGH_MS) && passed_ms < 10.0 * ENOUGH_MS
    }

    /// Whether nothing was timed.
    pub fn is_empty(&self) -> bool {
        self.times.is_empty()
    }

    /// Everything, in the stages' order.
    pub fn into_times(mut self) -> Vec<StageTimes> {
        sort::by_key(&mut self.times, |times| times.stage);
        self.times
    }
}

/// Counts the bytes of the buffers that the browser makes.
#[derive(Default)]
pub struct Buffers(pub u64);

impl Sink for Buffers {
    fn takes(&self) -> bool {
        true
    }
    fn begin(&mut self, _: &Block) {}
    fn block(&mut self, _: &Block, _: u32) {}
    fn buffer(&mut self, buffer: &ArrayBuffer) {
        self.0 += u64::from(buffer.byte_length());
    }
    fn bytes(&mut self, bytes: &Uint8Array) {
        self.0 += u64::from(bytes.byte_length());
    }
    /// Not a buffer, but as large: two bytes for each unit of UTF-16.
    fn text(&mut self, text: &JsString) {
        self.0 += 2 * u64::from(text.length());
    }
}
