//! Single stages, as tokenizer.json writes them.

use serde_json::Value;

use super::super::json::JsonNode;
use super::{decoders, lengths, normalizers, pretokenizers, processors};
use crate::decode::Decoder;
use crate::error::Result;
use crate::normalize::Normalizer;
use crate::postprocess::{Template, Trim, Truncation};
use crate::pretokenize::PreTokenizer;

pub fn normalizer(stage: &Value) -> Result<Normalizer> {
    normalizers::read(&JsonNode::root(stage))
}

pub fn pretokenizer(stage: &Value) -> Result<PreTokenizer> {
    pretokenizers::read(&JsonNode::root(stage))
}

pub fn decoder(stage: &Value) -> Result<Decoder> {
    decoders::read_any(Some(&JsonNode::root(stage)))
}

pub fn truncation(value: &Value) -> Result<Truncation> {
    lengths::read_truncation(&JsonNode::root(value))
}

/// What a post-processor puts around a text, and how it trims offsets.
pub fn post_processor(stage: &Value) -> Result<(Option<Template>, Option<Trim>)> {
    let processing = processors::read(&JsonNode::root(stage))?;
    Ok((processing.template, processing.trim))
}
