//! Machine: threads, memory, random numbers and vector instructions; nothing here knows text.

#[cfg(test)]
pub(crate) mod effort;
pub(crate) mod memory;
pub(crate) mod parallel;
pub(crate) mod pool;
pub(crate) mod random;
pub(crate) mod simd;
pub(crate) mod spare;
pub(crate) mod storage;

pub use memory::{WithReserve, copied, keep_reserve, room_for};
pub use parallel::{Watch, guarded, thread_count};
pub use simd::{Engine, prefetch};
pub use spare::{FEW, Spare};
