//! StagedModel: a model of tokenizer.json apart from the stages around it, so that these can be exchanged without reading its lists again.

use std::sync::OnceLock;

use serde_json::{Value, json};

use super::super::json::JsonNode;
use super::super::lexicon::Lexicon;
use super::file::{File, KnownLists, Lists};
use super::{added, around, normalizers, pretokenizers, read_model};
use crate::definition::{Definition, Family, Unit};
use crate::encode::tokenizer::Tokenizer;
use crate::error::{Error, Result};
use crate::vocab::TokenId;

/// A model with its parameters. The same file means tokens of bytes to byte-level stages, and tokens of characters to others.
#[derive(Debug)]
pub struct StagedModel {
    /// `model` of the file, with null in the places of its lists.
    parameters: Value,
    bytes: OnceLock<Box<ModelForm>>,
    characters: OnceLock<Box<ModelForm>>,
}

#[derive(Debug)]
struct ModelForm {
    lexicon: Lexicon,
    /// One that has the model, with whatever stages.
    tokenizer: Tokenizer,
}

impl StagedModel {
    /// The model of a file, and the rest of the file.
    pub fn open(bytes: &[u8]) -> Result<(Self, Value)> {
        let scanned = File::scan(bytes).and_then(|file| Self::of_file(file).ok());
        let (parameters, form, rest) = match scanned {
            Some(read) => read,
            None => Self::of_file(File::of_values(bytes)?)?,
        };
        Ok((Self::of_form(parameters, form), rest))
    }

    fn of_file(file: File) -> Result<(Value, ModelForm, Value)> {
        let root = JsonNode::root(&file.root);
        let parts = read_model(&root, file.lists.apart())?;
        let lexicon = parts.lexicon.clone();
        let mut outline = parts.outline();
        let unit = (outline.family == Family::Bpe).then_some(outline.symbols.unit);
        // The stages that a model may be made for; the others follow.
        outline.normalizer = root.find("normalizer")?.map(|node| normalizers::read(&node)).transpose()?;
        outline.pretokenizer = pretokenizers::read_for(unit, &root)?;
        let form = ModelForm { lexicon, tokenizer: Tokenizer::with_shared_ids(parts.definition(outline))? };
        let mut rest = file.root;
        let mut parameters = rest.as_object_mut().and_then(|rest| rest.shift_remove("model")).unwrap_or_default();
        for list in ["vocab", "merges"] {
            if let Some(list) = parameters.get_mut(list) {
                *list = Value::Null;
            }
        }
        Ok((parameters, form, rest))
    }

    fn of_form(parameters: Value, form: ModelForm) -> Self {
        let staged = StagedModel { parameters, bytes: OnceLock::new(), characters: OnceLock::new() };
        staged.place(form.unit()).get_or_init(|| Box::new(form));
        staged
    }

    fn place(&self, unit: Unit) -> &OnceLock<Box<ModelForm>> {
        match unit {
            Unit::Bytes => &self.bytes,
            Unit::Characters => &self.characters,
        }
    }

    /// The model for tokens of such units; made of the other form where there is none yet.
    fn form(&self, unit: Unit) -> Result<&ModelForm> {
        let place = self.place(unit);
        if let Some(form) = place.get() {
            return Ok(form);
        }
        let made = self.known()?.made_of(&self.parameters, unit)?;
        Ok(place.get_or_init(|| Box::new(made)))
    }

    /// One of the forms that are there.
    fn known(&self) -> Result<&ModelForm> {
        let known = self.bytes.get().or_else(|| self.characters.get());
        known.map(|form| &**form).ok_or_else(|| Error::Internal("a model without any form".into()))
    }

    /// `model` of the file, with null in the places of its lists.
    pub fn parameters(&self) -> &Value {
        &self.parameters
    }

    /// The same lists with other parameters.
    pub fn with_parameters(&self, parameters: Value) -> Result<Self> {
        let known = self.known()?;
        let form = known.made_of(&parameters, known.unit())?;
        Ok(Self::of_form(parameters, form))
    }

    /// The model with the stages of a file around it. Added tokens have the ids that are stated for them.
    pub fn with_stages(&self, rest: &Value) -> Result<Tokenizer> {
        let root = JsonNode::root(rest);
        let unit = match self.known()?.tokenizer.definition().outline.family {
            Family::Bpe => pretokenizers::unit(&root)?,
            _ => Unit::Characters,
        };
        let ModelForm { lexicon, tokenizer } = self.form(unit)?;
        let model = tokenizer.definition().outline.clone();
        tokenizer.with_outline(around(model, &root, lexicon, added::AddedNumbers::Stated)?)
    }

    /// The model with nothing around it, for texts that are pieces already.
    pub fn bare(&self) -> Result<Tokenizer> {
        self.with_stages(&json!({"version": "1.0"}))
    }

    /// The whole file, the model at its end.
    pub fn write(&self, rest: &Value, parameters: &Value, pretty: bool) -> Result<String> {
        let mut file = rest.clone();
        if let Some(file) = file.as_object_mut() {
            file.insert("model".into(), self.write_model(parameters)?);
        }
        let written = if pretty { serde_json::to_string_pretty(&file) } else { serde_json::to_string(&file) };
        written.map_err(|error| Error::Internal(error.to_string()))
    }

    /// `model` of the file: parameters, with the lists in their places.
    pub fn write_model(&self, parameters: &Value) -> Result<Value> {
        let ModelForm { lexicon, tokenizer } = self.known()?;
        let Definition { scores, .. } = tokenizer.definition();
        let mut model = parameters.clone();
        if let Some(vocab) = model.get_mut("vocab") {
            *vocab = match scores {
                Some(scores) => lexicon.written().map(|(token, id)| json!([token, scores[id as usize]])).collect(),
                None => Value::Object(lexicon.written().map(|(token, id)| (token.into(), id.into())).collect()),
            };
        }
        if let Some(merges) = model.get_mut("merges") {
            *merges = self.merges()?.into_iter().map(|(left, right)| json!([left, right])).collect();
        }
        Ok(model)
    }

    /// Every token as the file writes it, in the order of the ids.
    pub fn vocab(&self) -> Result<Vec<(String, TokenId)>> {
        Ok(self.known()?.lexicon.written().map(|(token, id)| (token.into_owned(), id)).collect())
    }

    /// How many tokens there are.
    pub fn size(&self) -> Result<usize> {
        Ok(self.known()?.lexicon.len())
    }

    pub fn token(&self, id: TokenId) -> Result<Option<String>> {
        Ok(self.known()?.lexicon.written_token(id).map(|token| token.into_owned()))
    }

    pub fn id(&self, token: &str) -> Result<Option<TokenId>> {
        Ok(self.known()?.lexicon.id(token))
    }

    /// The pairs that merge, as the file writes them.
    pub fn merges(&self) -> Result<Vec<(String, String)>> {
        let ModelForm { lexicon, tokenizer } = self.known()?;
        let pairs = tokenizer.definition().merges.iter().flat_map(|merges| merges.pairs());
        let token = |id| lexicon.written_token(id).unwrap_or_default().into_owned();
        Ok(pairs.map(|(left, right)| (token(left), token(right))).collect())
    }
}

impl ModelForm {
    fn unit(&self) -> Unit {
        let outline = &self.tokenizer.definition().outline;
        if outline.family == Family::Bpe { outline.symbols.unit } else { Unit::Characters }
    }

    /// A form of the same lists.
    fn made_of(&self, parameters: &Value, unit: Unit) -> Result<Self> {
        let root = file_around(parameters, unit);
        let root = JsonNode::root(&root);
        let definition = self.tokenizer.definition();
        let written: Vec<_> = self.lexicon.written().collect();
        let lexicon = match unit == self.unit() {
            true => self.lexicon.clone(),
            false => Lexicon::new(&root.get("model")?, written.iter().map(|(token, id)| (&**token, *id)), unit)?,
        };
        let pairs = definition.merges.iter().flat_map(|merges| merges.pairs()).collect();
        let lists = Lists::of_known(KnownLists { lexicon, pairs, scores: definition.scores.clone() });
        let parts = read_model(&root, lists)?;
        let (outline, lexicon) = (parts.outline(), parts.lexicon.clone());
        Ok(ModelForm { lexicon, tokenizer: Tokenizer::with_shared_ids(parts.definition(outline))? })
    }
}

/// A file with as little around a model as gives it such units.
fn file_around(parameters: &Value, unit: Unit) -> Value {
    let byte_level = json!({"type": "ByteLevel", "add_prefix_space": false, "trim_offsets": false, "use_regex": false});
    json!({
        "version": "1.0",
        "pre_tokenizer": (unit == Unit::Bytes).then_some(byte_level),
        "model": parameters,
    })
}
