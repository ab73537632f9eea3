//! Reading JSON with a finger on the place: every error names the path of the offending key, and no key goes unread.

use serde_json::{Map, Value};

use crate::error::{Error, Result};

/// The file as a value.
pub(super) fn parse(bytes: &[u8]) -> Result<Value> {
    serde_json::from_slice(bytes).map_err(|error| Error::format("the file", format!("not valid JSON: {error}")))
}

/// A value and its path from the top of the file.
#[derive(Clone)]
pub(super) struct JsonNode<'a> {
    pub value: &'a Value,
    path: String,
}

impl<'a> JsonNode<'a> {
    pub(super) fn root(value: &'a Value) -> Self {
        JsonNode { value, path: String::new() }
    }

    pub(super) fn error(&self, reason: impl Into<String>) -> Error {
        let at = if self.path.is_empty() { "the file" } else { &self.path };
        Error::format(at, reason)
    }

    fn wrong(&self, expected: &str) -> Error {
        let found = match self.value {
            Value::Null => "null".to_string(),
            Value::Array(_) => "a list".to_string(),
            Value::Object(_) => "an object".to_string(),
            scalar => scalar.to_string(),
        };
        self.error(format!("expected {expected}, found {found}"))
    }

    pub(super) fn string(&self) -> Result<&'a str> {
        self.value.as_str().ok_or_else(|| self.wrong("a string"))
    }

    pub(super) fn bool(&self) -> Result<bool> {
        self.value.as_bool().ok_or_else(|| self.wrong("true or false"))
    }

    pub(super) fn number(&self) -> Result<u32> {
        let number = self.value.as_u64().and_then(|number| u32::try_from(number).ok());
        number.ok_or_else(|| self.wrong("a whole number from 0 to 4294967295"))
    }

    pub(super) fn list(&self) -> Result<impl Iterator<Item = JsonNode<'a>>> {
        let list = self.value.as_array().ok_or_else(|| self.wrong("a list"))?;
        let path = self.path.clone();
        Ok(list.iter().enumerate().map(move |(i, value)| JsonNode { value, path: format!("{path}[{i}]") }))
    }

    pub(super) fn map(&self) -> Result<&'a Map<String, Value>> {
        self.value.as_object().ok_or_else(|| self.wrong("an object"))
    }

    /// The value under a key that must be there.
    pub(super) fn get(&self, key: &str) -> Result<JsonNode<'a>> {
        self.map()?.get(key).map(|value| self.at(key, value)).ok_or_else(|| self.error(format!("has no {key:?}")))
    }

    /// The value under a key, unless it is missing or null.
    pub(super) fn find(&self, key: &str) -> Result<Option<JsonNode<'a>>> {
        let value = self.map()?.get(key).filter(|value| !value.is_null());
        Ok(value.map(|value| self.at(key, value)))
    }

    pub(super) fn at(&self, key: &str, value: &'a Value) -> Self {
        let path = if self.path.is_empty() { key.to_string() } else { format!("{}.{key}", self.path) };
        JsonNode { value, path }
    }

    /// Refuses keys that nobody here would look at: a feature that is not understood must not be dropped.
    pub(super) fn only(&self, known: &[&str]) -> Result<()> {
        match self.map()?.iter().find(|(key, _)| !known.contains(&key.as_str())) {
            Some((key, value)) => Err(self.at(key, value).error("a key that is not known here")),
            None => Ok(()),
        }
    }

    pub(super) fn unsupported(&self, what: &str) -> Error {
        self.error(format!("{what} is not supported by this version"))
    }
}
