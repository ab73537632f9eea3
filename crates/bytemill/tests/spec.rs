//! The vectors of spec/, which no engine wrote; `tests/unit/test_spec.py` runs the same against Python.

use bytemill::data::{batches, blocks_of};
use bytemill::encode::scratch::Scratch;
use bytemill::specials::{Choice, Policy};
use bytemill::train::{CountOptions, Spec, Stages, Trainer};
use bytemill::{Result, Tokenizer};
use serde::Deserialize;
use serde_json::{Map, Value, json};

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Vector {
    name: String,
    documents: Vec<String>,
    #[serde(default)]
    options: Map<String, Value>,
    #[serde(default)]
    special_tokens: Vec<String>,
    pretokenizer: Option<Value>,
    specials: Option<Value>,
    text: String,
    tokens: Vec<String>,
    ids: Vec<u32>,
    decoded: String,
}

impl Vector {
    fn tokenizer(&self, family: &str, threads: usize) -> Result<Tokenizer> {
        let mut spec = json!({
            "family": family, "min_frequency": 1, "lowercase": false, "strip_accents": false,
            "pad_token": "<PAD>", "unk_token": "<UNK>", "bos_token": "<BOS>", "eos_token": "<EOS>",
            "add_bos": false, "add_eos": false,
        });
        for (name, value) in &self.options {
            spec[name] = value.clone();
        }
        let pretokenizer = self.pretokenizer.clone().map(|stage| serde_json::from_value(stage).unwrap());
        let stages = Stages { normalizer: None, pretokenizer };
        let trainer = Trainer::new(Spec::parse(&spec.to_string())?, &self.special_tokens, stages)?;
        let blocks = self.documents.iter().flat_map(|document| blocks_of(document, &trainer)).map(Ok);
        let options = CountOptions { threads, memory: None, ordered: false };
        Tokenizer::new(trainer.train(batches(blocks), options, None, &mut || Ok(()), &mut |_, _| Ok(()))?.definition)
    }

    fn choice(&self, tokenizer: &Tokenizer) -> Result<Choice> {
        match &self.specials {
            None => Ok(tokenizer.specials().default_choice()),
            Some(Value::Array(tokens)) => tokenizer.specials().only(tokens.iter().filter_map(Value::as_str)),
            Some(name) => Ok(Choice::Policy(serde_json::from_value::<Policy>(name.clone()).unwrap())),
        }
    }

    fn check(&self, family: &str, threads: usize) -> Result<()> {
        let tokenizer = self.tokenizer(family, threads)?;
        let mut ids = Vec::new();
        tokenizer.encode(&self.text, &self.choice(&tokenizer)?, &mut Scratch::default(), &mut ids)?;
        let token = |&id: &u32| String::from_utf8_lossy(tokenizer.token(id).unwrap_or_default()).into_owned();
        assert_eq!(ids.iter().map(token).collect::<Vec<_>>(), self.tokens, "{}", self.name);
        assert_eq!(ids, self.ids, "{}", self.name);
        assert_eq!(tokenizer.decode(&ids, false)?, self.decoded.as_bytes(), "{}", self.name);
        Ok(())
    }
}

fn run(family: &str, vectors: &str) {
    for (number, line) in vectors.lines().enumerate() {
        let vector: Vector = serde_json::from_str(line).unwrap_or_else(|error| panic!("line {}: {error}", number + 1));
        for threads in [1, 2] {
            vector.check(family, threads).unwrap_or_else(|error| panic!("{}: {error}", vector.name));
        }
    }
}

#[test]
fn words() {
    run("word", include_str!("../../../spec/words.jsonl"));
}

#[test]
fn chars() {
    run("char", include_str!("../../../spec/chars.jsonl"));
}
