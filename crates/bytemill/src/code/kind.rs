//! What a piece of source code is, and how the nodes of a grammar tell it.

use bytemill_syntax::Grammar;

use super::Language;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum Kind {
    Keyword,
    Identifier,
    String,
    Number,
    Operator,
    Punctuation,
    Comment,
    Docstring,
    Whitespace,
    Indentation,
    Newline,
    Other,
}

impl Kind {
    pub const ALL: [Kind; 12] = [
        Kind::Keyword,
        Kind::Identifier,
        Kind::String,
        Kind::Number,
        Kind::Operator,
        Kind::Punctuation,
        Kind::Comment,
        Kind::Docstring,
        Kind::Whitespace,
        Kind::Indentation,
        Kind::Newline,
        Kind::Other,
    ];

    pub fn name(self) -> &'static str {
        match self {
            Kind::Keyword => "keyword",
            Kind::Identifier => "identifier",
            Kind::String => "string",
            Kind::Number => "number",
            Kind::Operator => "operator",
            Kind::Punctuation => "punctuation",
            Kind::Comment => "comment",
            Kind::Docstring => "docstring",
            Kind::Whitespace => "whitespace",
            Kind::Indentation => "indentation",
            Kind::Newline => "newline",
            Kind::Other => "other",
        }
    }
}

/// What to do with a node.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum NodeRole {
    /// If it has no children it is one piece of this kind; else its children are looked at.
    Leaf(Kind),
    /// `true` and `false`; in capitals they are names of macros.
    Constant,
    /// One piece, whatever is in it.
    Comment,
    /// A literal: all that is in it, but for interpolations, is one string.
    Literal,
    /// A literal of any type, if it has no children: its first character tells whether it is a number or a string.
    Value,
    /// Code inside a literal.
    Interpolation,
    /// Split by its characters alone: what the grammar does not look into.
    Lexical,
}

#[derive(Debug, Clone, Copy)]
pub(super) struct NodeKind {
    pub role: NodeRole,
    pub named: bool,
    /// A string that is the first statement in it may be a docstring,
    pub body: bool,
    /// if it is the whole source, or the body of one of these.
    pub definition: bool,
    /// A statement that is nothing but an expression.
    pub expression: bool,
    /// An element of HTML whose text is of another language.
    pub embeds: bool,
}

impl NodeKind {
    /// For source that cannot be parsed.
    pub(super) const ERROR: NodeKind = NodeKind {
        role: NodeRole::Lexical,
        named: true,
        body: false,
        definition: false,
        expression: false,
        embeds: false,
    };
}

/// A node kind of a grammar for each of its numbers.
pub(super) fn node_kinds(language: Language, grammar: Grammar) -> Vec<NodeKind> {
    let linked = Language::ALL.contains(&language);
    let kind = |id: u16| {
        let (name, named) = (grammar.kind_name(id), grammar.is_named(id));
        NodeKind {
            role: match (named, linked) {
                (true, true) => named_role(name),
                (true, false) => named_role_of_wheel(name),
                (false, _) => NodeRole::Leaf(anonymous_kind(name)),
            },
            named,
            body: named && linked && matches!(name, "module" | "block"),
            definition: named && matches!(name, "function_definition" | "class_definition"),
            expression: named && name == "expression_statement",
            embeds: named && matches!(name, "script_element" | "style_element"),
        }
    };
    (0..grammar.kind_count()).map(kind).collect()
}

/// The words of a grammar that it writes out: its keywords.
pub(super) fn keywords(language: Language, grammar: Grammar) -> Vec<String> {
    let written = (0..grammar.kind_count()).filter(|&id| grammar.is_visible(id) && !grammar.is_named(id));
    // `static get`, as some grammars have it, is two words in a text; single letters are no words.
    let is_keyword = |name: &&str| anonymous_kind(name) == Kind::Keyword && name.len() > 1 && !name.contains(' ');
    let names = written.map(|id| grammar.kind_name(id)).filter(is_keyword);
    let constants = ["true", "false", "null", "nil", "this", "super", "self"].into_iter();
    let leaves = constants.filter(|name| grammar.has_named(name));
    let mut words: Vec<String> = names.chain(leaves).map(str::to_string).collect();
    // Named after themselves in lower case.
    if grammar.has_named("none") {
        words.retain(|word| word != "true" && word != "false");
        words.extend(["None", "True", "False"].map(str::to_string));
    }
    if language == Language::Sql {
        // Each is a node with a name, and is written in capitals or without.
        let names = (0..grammar.kind_count()).filter_map(|id| grammar.kind_name(id).strip_prefix(SQL_KEYWORD));
        words.extend(names.flat_map(|word| [word.to_string(), word.to_uppercase()]));
    }
    words.sort_unstable();
    words.dedup();
    words
}

const SQL_KEYWORD: &str = "keyword_";

/// For a node that the grammar writes out: `def`, `(`, `+=`.
fn anonymous_kind(name: &str) -> Kind {
    // Words that are names wherever they stand.
    if matches!(name, "_" | "__future__" | "NULL") {
        return Kind::Identifier;
    }
    let word = name.trim_start_matches(['#', '@']);
    if word.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_') && !word.ends_with(['"', '\'']) {
        return Kind::Keyword;
    }
    let mark = |c: char| "()[]{},;:\"'`#$".contains(c);
    match name {
        "." | "</" | "/>" => Kind::Punctuation,
        _ if name.trim().is_empty() => Kind::Newline,
        _ if name.chars().all(mark) || name.ends_with(['"', '\'']) => Kind::Punctuation,
        _ => Kind::Operator,
    }
}

/// What grammars of wheels name otherwise. The roles of those that are linked stay what they are, since ids follow from them.
fn named_role_of_wheel(name: &str) -> NodeRole {
    match name {
        // Plain values of YAML, and what the grammar of Markdown's blocks leaves to another one.
        "string_scalar"
        | "inline"
        | "html_block"
        | "code_fence_content"
        | "indented_code_block"
        | "pipe_table_cell"
        | "minus_metadata"
        | "plus_metadata"
        | "pragma" => NodeRole::Lexical,
        "literal" => NodeRole::Value,
        "marginalia" | "haddock" => NodeRole::Comment,
        "interpolated_expression" => NodeRole::Interpolation,
        "char" | "character" | "command_literal" | "quasiquote_body" | "link_destination" => NodeRole::Literal,
        "module_id" | "constructor" | "language" => NodeRole::Leaf(Kind::Identifier),
        "hex_literal" | "bin_literal" | "oct_literal" => NodeRole::Leaf(Kind::Number),
        "nil_literal" | "boolean_scalar" | "null_scalar" | "tag" => NodeRole::Leaf(Kind::Keyword),
        "operator_identifier" => NodeRole::Leaf(Kind::Operator),
        "info_string" => NodeRole::Leaf(Kind::Other),
        _ if name.starts_with(SQL_KEYWORD) => NodeRole::Leaf(Kind::Keyword),
        _ => named_role(name),
    }
}

fn named_role(name: &str) -> NodeRole {
    let has = |part: &str| name.contains(part);
    let ends = |endings: &[&str]| endings.iter().any(|ending| name.ends_with(ending));
    match name {
        "ERROR" | "preproc_arg" | "text" | "raw_text" | "jsx_text" | "word" | "plain_value" | "uninterpreted" => {
            return NodeRole::Lexical;
        }
        "concatenated_string" | "string_array" | "symbol_array" | "string_type" => return NodeRole::Leaf(Kind::Other),
        "block_scalar" | "rune_literal" | "regex_literal" | "quoted_attribute_value" | "attribute_value" => {
            return NodeRole::Literal;
        }
        "char_literal" | "character_literal" | "heredoc_body" | "delimited_symbol" | "regex" => {
            return NodeRole::Literal;
        }
        "variable_name" | "dynamic_variable_name" | "member_access_expression" | "subscript_expression" => {
            return NodeRole::Interpolation;
        }
        "true" | "false" => return NodeRole::Constant,
        "none" | "null" | "nil" | "this" | "super" | "self" | "crate" | "auto" | "undefined" | "iota" | "import"
        | "important" | "at_keyword" | "boolean" | "from" | "to" | "php_tag" | "php_end_tag" => {
            return NodeRole::Leaf(Kind::Keyword);
        }
        _ => {}
    }
    if has("comment") && !has("marker") {
        NodeRole::Comment
    } else if has("interpolation") || has("substitution") || has("expansion") || name == "template_type" {
        NodeRole::Interpolation
    } else if has("string") || has("heredoc") || has("_quote_scalar") || name == "escape_sequence" {
        NodeRole::Literal
    } else if has("identifier") || ends(&["_name", "name", "constant", "variable", "_key", "symbol", "metavariable"]) {
        NodeRole::Leaf(Kind::Identifier)
    } else if ["integer", "float", "number", "int_literal", "real_literal", "imaginary", "color_value"]
        .iter()
        .any(|number| has(number) && !has("_type"))
    {
        NodeRole::Leaf(Kind::Number)
    } else if ends(&["_type", "_modifier", "_specifier", "_qualifier", "boolean_literal", "null_literal", "modifier"])
        || has("preproc_directive")
    {
        NodeRole::Leaf(Kind::Keyword)
    } else {
        // Nodes with children, and the few leaves that are left: `...`, `_`, separators.
        NodeRole::Leaf(Kind::Operator)
    }
}
