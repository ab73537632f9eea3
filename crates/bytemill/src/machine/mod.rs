//! Machine: threads, memory, random numbers and vector instructions; nothing here knows text.

pub mod parallel;
pub mod pool;
pub mod random;
pub mod simd;
pub mod spare;
pub mod storage;
