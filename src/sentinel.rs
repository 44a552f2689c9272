//! Work that never changes, by which a device that becomes slower or faster is noticed: a computation on either thread, and a
//! small overwrite with its flush in the worker.

use opfs_bench_core::protocol;
use opfs_bench_core::units::Nanos;

use crate::clock;
use crate::opfs::{Directory, OpfsError, SyncHandle};

/// Steps of the computation that are never cut: a microsecond or so.
const STEPS: u32 = 1024;
/// Sizes double until a pass is long enough; a clock that never shows that must not double for ever.
const MOST_DOUBLINGS: u32 = 24;
/// What is overwritten.
const BLOCK: usize = 4096;
/// An overwrite and flush is repeated until it lasts at least this many ticks.
const STORAGE_TICKS: u64 = 10;
/// The sentinel's file in the run's folder.
const FILE: &str = "sentinel";

/// A fixed computation on this thread.
#[derive(Clone, Copy, Debug)]
pub struct Cpu {
    units: u32,
}

impl Cpu {
    /// Chooses how long the computation is, for a clock with this tick. It stays so for the launch.
    pub fn sized(tick: Nanos) -> Self {
        let enough = protocol::SENTINEL.max(Nanos(tick.0 * protocol::SENTINEL_TICKS));
        let mut cpu = Self { units: 1 };
        for _ in 0..MOST_DOUBLINGS {
            if cpu.read() >= Some(enough) {
                break;
            }
            cpu.units *= 2;
        }
        cpu
    }

    /// What it takes now: the shortest of some passes. None where the clock stepped back.
    pub fn read(self) -> Option<Nanos> {
        (0..protocol::SENTINEL_PASSES).map(|_| timed(|| compute(self.units))).min()?
    }
}

/// Shifts and additions in registers (Marsaglia's xorshift64): no memory, no branches, nothing that can be left out.
fn compute(units: u32) {
    let mut state = std::hint::black_box(0x9e37_79b9_7f4a_7c15_u64);
    for _ in 0..units {
        for _ in 0..STEPS {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
        }
    }
    std::hint::black_box(state);
}

/// 4 KiB of a private file, overwritten and flushed.
pub struct Storage {
    handle: SyncHandle,
    bytes: [u8; BLOCK],
    repeats: u32,
}

impl Storage {
    /// Makes the file in the run's folder, and chooses how often it is written for one reading.
    pub async fn open(folder: &Directory, tick: Nanos) -> Result<Self, OpfsError> {
        let handle = folder.create(FILE).await?.open_sync_patiently().await?;
        let mut storage = Self { handle, bytes: [0; BLOCK], repeats: 1 };
        let enough = Nanos(tick.0 * STORAGE_TICKS);
        // The very first one makes the file longer.
        storage.read()?;
        for _ in 0..MOST_DOUBLINGS {
            if storage.read()? >= Some(enough) {
                break;
            }
            storage.repeats *= 2;
        }
        Ok(storage)
    }

    /// What it takes now. None where the clock stepped back.
    pub fn read(&mut self) -> Result<Option<Nanos>, OpfsError> {
        let mut written = Ok(());
        let took = timed(|| written = (0..self.repeats).try_for_each(|_| self.overwrite()));
        written.map(|()| took)
    }

    fn overwrite(&mut self) -> Result<(), OpfsError> {
        // Other bytes each time, so that nothing along the way can find that there is nothing to do.
        self.bytes[0] = self.bytes[0].wrapping_add(1);
        self.handle.write_full(&self.bytes, 0)?;
        self.handle.flush()
    }
}

fn timed(work: impl FnOnce()) -> Option<Nanos> {
    let start = clock::now_ms();
    work();
    let elapsed_ms = clock::now_ms() - start;
    (elapsed_ms >= 0.0).then(|| Nanos::from_ms(elapsed_ms))
}
