//! `post_processor`.

use serde_json::{Map, Value, json};

use super::super::json::JsonNode;
use crate::definition::Outline;
use crate::error::{Error, Result};
use crate::postprocess::{Slot, Template, Trim};
use crate::vocab::TokenId;

/// What a processor does: it puts the text into a template, or trims its offsets, or both.
#[derive(Default)]
pub(super) struct Processing {
    pub template: Option<Template>,
    pub trim: Option<Trim>,
}

pub(super) fn read(node: &JsonNode) -> Result<Processing> {
    let mut processing = Processing::default();
    read_into(node, &mut processing)?;
    Ok(processing)
}

fn read_into(node: &JsonNode, processing: &mut Processing) -> Result<()> {
    let kind = node.get("type")?.string()?;
    if matches!(kind, "TemplateProcessing" | "BertProcessing" | "RobertaProcessing") && processing.template.is_some() {
        return Err(node.unsupported("a template around a template"));
    }
    match kind {
        "TemplateProcessing" => {
            node.only(&["type", "single", "pair", "special_tokens"])?;
            let special_tokens = node.get("special_tokens")?;
            let slots = |key: &str| -> Result<Vec<Slot>> {
                node.get(key)?.list()?.map(|slot| read_slot(&slot, &special_tokens)).collect()
            };
            processing.template = Some(Template { single: slots("single")?, pair: slots("pair")? });
        }
        "BertProcessing" => {
            node.only(&["type", "sep", "cls"])?;
            let (sep, cls) = (token_and_id(&node.get("sep")?)?, token_and_id(&node.get("cls")?)?);
            processing.template = Some(Template::bert(cls, sep));
        }
        "RobertaProcessing" => {
            node.only(&["type", "sep", "cls", "trim_offsets", "add_prefix_space"])?;
            let (sep, cls) = (token_and_id(&node.get("sep")?)?, token_and_id(&node.get("cls")?)?);
            read_trim(node, processing)?;
            let single = vec![special(&cls, 0), text(false, 0), special(&sep, 0)];
            let pair = [single.clone(), vec![special(&sep, 0), text(true, 0), special(&sep, 0)]].concat();
            processing.template = Some(Template { single, pair });
        }
        "ByteLevel" => {
            node.only(&["type", "add_prefix_space", "trim_offsets", "use_regex"])?;
            read_trim(node, processing)?;
        }
        "Sequence" => {
            node.only(&["type", "processors"])?;
            node.get("processors")?.list()?.try_for_each(|node| read_into(&node, processing))?;
        }
        other => return Err(node.get("type")?.unsupported(&format!("the post-processor {other}"))),
    }
    Ok(())
}

fn read_trim(node: &JsonNode, processing: &mut Processing) -> Result<()> {
    let prefix_space = node.get("add_prefix_space")?.bool()?;
    if !node.get("trim_offsets")?.bool()? {
        return Ok(());
    }
    if processing.template.is_some() || processing.trim.is_some() {
        return Err(node.unsupported("trimming offsets twice, or those of a template,"));
    }
    processing.trim = Some(Trim { prefix_space });
    Ok(())
}

fn special((token, id): &(String, TokenId), type_id: u32) -> Slot {
    Slot::special(token.clone(), *id, type_id)
}

fn text(second: bool, type_id: u32) -> Slot {
    Slot::Text { second, type_id }
}

fn token_and_id(node: &JsonNode) -> Result<(String, TokenId)> {
    let parts: Vec<JsonNode> = node.list()?.collect();
    match parts.as_slice() {
        [token, id] => Ok((token.string()?.to_string(), id.number()?)),
        _ => Err(node.error("expected a token and its id")),
    }
}

fn read_slot(node: &JsonNode, special_tokens: &JsonNode) -> Result<Slot> {
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

pub(super) fn write(outline: &Outline) -> Result<Option<Value>> {
    let trim = outline.trim.map(|Trim { prefix_space }| {
        json!({"type": "ByteLevel", "add_prefix_space": prefix_space, "trim_offsets": true, "use_regex": true})
    });
    let template = outline.template.as_ref().map(write_template).transpose()?;
    Ok(match (trim, template) {
        (Some(trim), Some(template)) => Some(json!({"type": "Sequence", "processors": [trim, template]})),
        (trim, template) => trim.or(template),
    })
}

fn write_template(template: &Template) -> Result<Value> {
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
