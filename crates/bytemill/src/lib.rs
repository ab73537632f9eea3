//! bytemill: text in, tokens out.
//!
//! ```text
//! ENCODE   text ─normalize→ Normalized ─pretokenize→ pieces ─model→ ids ─postprocess→ ids
//! DECODE   ids ─vocab→ bytes ─decode→ text
//! TRAIN    documents ─normalize, pretokenize→ pieces ─count→ PieceCounts ─train→ Definition ─format→ file
//! ```
//!
//! The core knows no Python, prints nothing and reaches no network. Its folders, in the order in which to read them:
//!
//! | folder | holds |
//! |---|---|
//! | `error` | every error, as data |
//! | `machine` | threads, memory, random numbers, vector instructions |
//! | `vocab` | tokens ⇄ ids, and which two tokens merge into which |
//! | `text` | spans, character classes, regular expressions, conversion to UTF-8 |
//! | [`code`] | source code: languages, syntax trees, identifiers |
//! | [`normalize`] | what is done to a text before it is split |
//! | [`pretokenize`] | text → pieces |
//! | [`postprocess`] | what a model's input has around the tokens: templates, truncation, padding |
//! | [`decode`] | tokens → text |
//! | [`specials`] | added and special tokens, and how a text is searched for them |
//! | `definition` | the whole tokenizer as plain data |
//! | `model` | pieces → ids, one module for each family |
//! | [`data`] | documents from files, token files |
//! | [`encode`] | the tokenizer: all stages joined, from one text to batches and files |
//! | [`format`] | tokenizer files of every kind ⇄ `definition` |
//! | [`train`] | documents → counts → `definition` |
//!
//! A tokenizer is trained, encodes, and decodes:
//!
//! ```
//! use bytemill::data::{batches, blocks_of};
//! use bytemill::encode::scratch::Scratch;
//! use bytemill::train::{CountOptions, Spec, Stages, Trainer};
//! use bytemill::Tokenizer;
//!
//! let spec = r#"{
//!     "family": "bpe", "vocab_size": 280, "min_frequency": 2, "lowercase": false, "strip_accents": false,
//!     "add_bos": false, "add_eos": false, "bpe": {"ties": "bytemill", "byte_level": true, "byte_fallback": false}
//! }"#;
//! let trainer = Trainer::new(Spec::parse(spec)?, &["<|endoftext|>".to_string()], Stages::default())?;
//! let lines = ["the cat sat on the mat", "the dog saw the cat", "and the cat ran"];
//! let blocks = lines.into_iter().flat_map(|line| blocks_of(line, &trainer)).map(Ok);
//! let options = CountOptions { threads: 1, memory: None, ordered: false };
//! let trained = trainer.train(batches(blocks), options, None, &mut || Ok(()), &mut |_, _| Ok(()))?;
//!
//! let tokenizer = Tokenizer::new(trained.definition)?;
//! let mut ids = Vec::new();
//! let choice = tokenizer.specials().default_choice();
//! tokenizer.encode("the cat<|endoftext|>", &choice, &mut Scratch::default(), &mut ids)?;
//! assert!(ids.len() < 5);
//! assert_eq!(tokenizer.decode(&ids, true)?, b"the cat");
//! # Ok::<(), bytemill::Error>(())
//! ```

mod error;

pub mod machine;
mod vocab;

pub mod text;

pub mod code;
pub mod normalize;
pub mod pretokenize;

pub mod decode;
pub mod postprocess;
pub mod specials;

mod definition;
mod model;

pub mod data;
pub mod encode;

pub mod format;
pub mod train;

pub use definition::Definition;
pub use definition::roles::Role;
pub use encode::tokenizer::Tokenizer;
pub use error::{Error, Result};
pub use model::bpe::Trace;
pub use vocab::{TokenId, notation};
