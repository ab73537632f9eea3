//! `post_processor`.

use serde_json::{Map, Value, json};

use super::super::json::Node;
use crate::error::{Error, Result};
use crate::postprocess::{Slot, Template};
use crate::vocab::TokenId;

/// None for a processor that leaves the ids as they are.
pub fn read(node: &Node) -> Result<Option<Template>> {
    match node.get("type")?.string()? {
        "TemplateProcessing" => {
            node.only(&["type", "single", "pair", "special_tokens"])?;
            let special_tokens = node.get("special_tokens")?;
            let slots = |key: &str| -> Result<Vec<Slot>> {
                node.get(key)?.list()?.map(|slot| read_slot(&slot, &special_tokens)).collect()
            };
            Ok(Some(Template { single: slots("single")?, pair: slots("pair")? }))
        }
        "BertProcessing" => {
            node.only(&["type", "sep", "cls"])?;
            let (sep, cls) = (token_and_id(&node.get("sep")?)?, token_and_id(&node.get("cls")?)?);
            let special = |(token, id): &(String, TokenId), type_id| Slot::special(token.clone(), *id, type_id);
            let text = |second| Slot::Text { second, type_id: u32::from(second) };
            let single = vec![special(&cls, 0), text(false), special(&sep, 0)];
            let pair = [single.clone(), vec![text(true), special(&sep, 1)]].concat();
            Ok(Some(Template { single, pair }))
        }
        // Trims offsets where it is told to, and is for nothing else.
        "ByteLevel" => {
            node.only(&["type", "add_prefix_space", "trim_offsets", "use_regex"])?;
            match node.get("trim_offsets")?.bool()? {
                false => Ok(None),
                true => Err(node.unsupported("trim_offsets")),
            }
        }
        other => Err(node.get("type")?.unsupported(&format!("the post-processor {other}"))),
    }
}

fn token_and_id(node: &Node) -> Result<(String, TokenId)> {
    let parts: Vec<Node> = node.list()?.collect();
    match parts.as_slice() {
        [token, id] => Ok((token.string()?.to_string(), id.number()?)),
        _ => Err(node.error("expected a token and its id")),
    }
}

fn read_slot(node: &Node, special_tokens: &Node) -> Result<Slot> {
    node.only(&["SpecialToken", "Sequence"])?;
    if let Some(slot) = node.find("Sequence")? {
        slot.only(&["id", "type_id"])?;
        let second = match slot.get("id")?.string()? {
            "A" => false,
            "B" => true,
            other => return Err(slot.error(format!("the sequence is \"A\" or \"B\", not {other:?}"))),
        };
        return Ok(Slot::Text { second, type_id: slot.get("type_id")?.number()? });
    }
    let slot = node.get("SpecialToken")?;
    slot.only(&["id", "type_id"])?;
    let name = slot.get("id")?.string()?;
    let token = special_tokens.get(name)?;
    token.only(&["id", "ids", "tokens"])?;
    let ids: Vec<TokenId> = token.get("ids")?.list()?.map(|id| id.number()).collect::<Result<_>>()?;
    let names = token.get("tokens")?;
    let names: Vec<String> = names.list()?.map(|name| Ok(name.string()?.to_string())).collect::<Result<_>>()?;
    if ids.len() != names.len() {
        return Err(token.error("must have as many tokens as ids"));
    }
    Ok(Slot::Special { token: name.to_string(), ids, names, type_id: slot.get("type_id")?.number()? })
}

pub fn write(template: &Template) -> Result<Value> {
    let mut special_tokens = Map::new();
    for slot in template.single.iter().chain(&template.pair) {
        let Slot::Special { token, ids, names, .. } = slot else { continue };
        let entry = json!({"id": token, "ids": ids, "tokens": names});
        if special_tokens.insert(token.clone(), entry.clone()).is_some_and(|other| other != entry) {
            return Err(Error::Inexpressible {
                format: super::NAME,
                feature: format!("a template in which {token:?} stands for different ids"),
                hint: "write .mill instead".into(),
            });
        }
    }
    let slots = |slots: &[Slot]| slots.iter().map(write_slot).collect::<Value>();
    Ok(json!({
        "type": "TemplateProcessing",
        "single": slots(&template.single),
        "pair": slots(&template.pair),
        "special_tokens": special_tokens,
    }))
}

fn write_slot(slot: &Slot) -> Value {
    match slot {
        Slot::Special { token, type_id, .. } => json!({"SpecialToken": {"id": token, "type_id": type_id}}),
        Slot::Text { second, type_id } => {
            json!({"Sequence": {"id": if *second { "B" } else { "A" }, "type_id": type_id}})
        }
    }
}
