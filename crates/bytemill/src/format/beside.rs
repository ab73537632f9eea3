//! What the files beside a tokenizer say of the roles of its tokens: special_tokens_map.json and tokenizer_config.json, as `transformers`
//! writes them.

use std::io::ErrorKind;
use std::path::Path;

use serde_json::Value;

use crate::definition::roles::Role;
use crate::encode::tokenizer::Tokenizer;
use crate::error::{Error, Result};
use crate::vocab::TokenId;

/// The later one has the last word.
const NAMES: [&str; 2] = ["special_tokens_map.json", "tokenizer_config.json"];

/// The tokenizer with the roles that the files beside its own file tell. What they do not speak of stays as it is inferred.
pub(super) fn with_roles(tokenizer: Tokenizer, path: &Path) -> Result<Tokenizer> {
    let mut known = Vec::new();
    for name in NAMES {
        let file = path.with_file_name(name);
        match std::fs::read(&file) {
            Ok(bytes) => known.extend(roles(&bytes, &file, &tokenizer)?),
            Err(error) if error.kind() == ErrorKind::NotFound => {}
            Err(error) => return Err(Error::io(file, error)),
        }
    }
    Ok(if known.is_empty() { tokenizer } else { tokenizer.with_roles(known) })
}

fn roles(bytes: &[u8], file: &Path, tokenizer: &Tokenizer) -> Result<Vec<(Role, Option<TokenId>)>> {
    let parsed: Value = serde_json::from_slice(bytes)
        .map_err(|error| Error::format(file.display().to_string(), format!("not valid JSON: {error}")))?;
    let role = |role: Role| match parsed.get(format!("{}_token", role.name()))? {
        Value::Null => Some((role, None)),
        // Alone, or with the flags of an added token.
        Value::String(token) => Some((role, Some(tokenizer.id(token.as_bytes())?))),
        token => Some((role, Some(tokenizer.id(token.get("content")?.as_str()?.as_bytes())?))),
    };
    Ok(Role::ALL.into_iter().filter_map(role).collect())
}
