//! Token files: ids in the layouts that trainers read, with the borders of the documents.
//!
//! While it is written, every layout is two files that only grow: the ids, and where each document ends. So work that was
//! killed goes on from a [`WriterState`](writer::WriterState), which is the lengths of these files. Only when a shard is full
//! is it made what it is to be, and gets its name. Where columns are kept, two more files grow: the values of all documents,
//! and where those of each document of a shard are.

mod format;
mod index;
mod kept;
mod names;
mod partial;
mod shard;
mod shuffle;
mod writer;

pub use format::{TokenFormat, TokenWidth};
pub use kept::KeptShard;
pub use names::{SPLITS, TokenFileNames, may_be_of};
pub(crate) use partial::{remove_partial, write_whole};
pub use shard::{Convert, RawShard};
pub(crate) use shard::{ShardFiles, remove_shard};
pub(crate) use writer::{EncodedRows, TokenWriter, WriterState};
pub use writer::{Layout, Pack, TokenOutput};
