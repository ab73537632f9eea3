//! `truncation` and `padding`.

use serde_json::{Value, json};

use super::super::json::JsonNode;
use crate::error::Result;
use crate::postprocess::{Padding, Side, Strategy, Truncation};

const SIDES: [(&str, Side); 2] = [("Left", Side::Left), ("Right", Side::Right)];
const STRATEGIES: [(&str, Strategy); 3] = [
    ("LongestFirst", Strategy::LongestFirst),
    ("OnlyFirst", Strategy::OnlyFirst),
    ("OnlySecond", Strategy::OnlySecond),
];

pub(super) fn read_truncation(node: &JsonNode) -> Result<Truncation> {
    node.only(&["direction", "max_length", "strategy", "stride"])?;
    let side = node.find("direction")?.map(|node| named(&node, &SIDES)).transpose()?;
    Ok(Truncation {
        max_length: node.get("max_length")?.number()? as usize,
        strategy: named(&node.get("strategy")?, &STRATEGIES)?,
        stride: node.get("stride")?.number()? as usize,
        side: side.unwrap_or(Side::Right),
    })
}

pub(super) fn read_padding(node: &JsonNode) -> Result<Padding> {
    node.only(&["strategy", "direction", "pad_to_multiple_of", "pad_id", "pad_type_id", "pad_token"])?;
    let strategy = node.get("strategy")?;
    let length = match strategy.value.as_str() {
        Some("BatchLongest") => None,
        Some(other) => return Err(strategy.error(format!("expected \"BatchLongest\" or \"Fixed\", found {other:?}"))),
        None => {
            strategy.only(&["Fixed"])?;
            Some(strategy.get("Fixed")?.number()? as usize)
        }
    };
    let multiple_of = node.find("pad_to_multiple_of")?.map(|node| node.number()).transpose()?;
    Ok(Padding {
        length,
        multiple_of: multiple_of.map(|multiple| multiple as usize),
        side: named(&node.get("direction")?, &SIDES)?,
        id: node.get("pad_id")?.number()?,
        type_id: node.get("pad_type_id")?.number()?,
        token: node.get("pad_token")?.string()?.into(),
    })
}

fn named<T: Copy>(node: &JsonNode, known: &[(&str, T)]) -> Result<T> {
    let name = node.string()?;
    known.iter().find(|(known, _)| *known == name).map(|&(_, value)| value).ok_or_else(|| {
        let names: Vec<&str> = known.iter().map(|&(name, _)| name).collect();
        node.error(format!("expected one of {}, found {name:?}", names.join(", ")))
    })
}

fn name_of<T: PartialEq>(value: &T, known: &[(&'static str, T)]) -> Option<&'static str> {
    known.iter().find(|(_, known)| known == value).map(|&(name, _)| name)
}

pub(super) fn write_truncation(truncation: &Truncation) -> Value {
    json!({
        "direction": name_of(&truncation.side, &SIDES),
        "max_length": truncation.max_length,
        "strategy": name_of(&truncation.strategy, &STRATEGIES),
        "stride": truncation.stride,
    })
}

pub(super) fn write_padding(padding: &Padding) -> Value {
    json!({
        "strategy": match padding.length {
            None => json!("BatchLongest"),
            Some(length) => json!({"Fixed": length}),
        },
        "direction": name_of(&padding.side, &SIDES),
        "pad_to_multiple_of": padding.multiple_of,
        "pad_id": padding.id,
        "pad_type_id": padding.type_id,
        "pad_token": padding.token,
    })
}
