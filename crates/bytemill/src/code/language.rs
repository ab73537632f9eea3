//! The languages, and what tells them apart: names of files, and the programs of first lines.

use bytemill_syntax::Grammar;
use serde::{Deserialize, Serialize};

use super::wheels;

/// Which grammars pieces are made with, and how: counted up whenever one of them is exchanged for another version or used otherwise, because
/// tokenizers that split with the one would encode differently with the other.
pub(crate) const GRAMMARS: u32 = 3;

macro_rules! languages {
    (
        linked { $($variant:ident $name:literal $grammar:expr, [$($ending:literal)*], [$($file:literal)*], [$($program:literal)*];)* }
        of_wheels { $($wheel:ident $wheel_name:literal, [$($wheel_ending:literal)*], [$($wheel_program:literal)*];)* }
    ) => {
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
        pub enum Language {
            $(#[serde(rename = $name)] $variant,)*
            $(#[serde(rename = $wheel_name)] $wheel,)*
            /// None that has a grammar: a source in it is split by its characters alone.
            #[serde(rename = "text")]
            Text,
        }

        impl Language {
            /// Those whose grammar is linked. A source is detected to be in one of these, whatever is installed.
            pub const ALL: &[Language] = &[$(Language::$variant),*];
            /// Those whose grammar is brought by a wheel, for users who name them.
            pub const OF_WHEELS: &[Language] = &[$(Language::$wheel),*];

            pub fn name(self) -> &'static str {
                match self { $(Language::$variant => $name,)* $(Language::$wheel => $wheel_name,)* Language::Text => "text" }
            }

            pub(super) fn grammar(self) -> Option<Grammar> {
                match self { $(Language::$variant => Some($grammar.into()),)* _ => wheels::grammar(self) }
            }

            /// How names of files end, without the dot.
            pub fn endings(self) -> &'static [&'static str] {
                match self { $(Language::$variant => &[$($ending),*],)* $(Language::$wheel => &[$($wheel_ending),*],)* Language::Text => &[] }
            }

            /// Whole names of files.
            pub fn files(self) -> &'static [&'static str] {
                match self { $(Language::$variant => &[$($file),*],)* _ => &[] }
            }

            /// The programs that a first line `#!` names.
            pub fn programs(self) -> &'static [&'static str] {
                match self { $(Language::$variant => &[$($program),*],)* $(Language::$wheel => &[$($wheel_program),*],)* Language::Text => &[] }
            }
        }
    };
}

languages! {
    linked {
        Bash "bash" tree_sitter_bash::LANGUAGE, ["sh" "bash" "zsh" "ksh" "ebuild"], [".bashrc" ".profile" ".zshrc" "PKGBUILD"], ["sh" "bash" "zsh" "ksh" "dash"];
        C "c" tree_sitter_c::LANGUAGE, ["c" "h"], [], [];
        CSharp "csharp" tree_sitter_c_sharp::LANGUAGE, ["cs" "csx"], [], ["dotnet-script"];
        Cpp "cpp" tree_sitter_cpp::LANGUAGE, ["cc" "cpp" "cxx" "c++" "hh" "hpp" "hxx" "h++" "ipp" "inl" "cu" "cuh" "ino"], [], [];
        Css "css" tree_sitter_css::LANGUAGE, ["css"], [], [];
        Go "go" tree_sitter_go::LANGUAGE, ["go"], [], [];
        Html "html" tree_sitter_html::LANGUAGE, ["html" "htm" "xhtml"], [], [];
        Java "java" tree_sitter_java::LANGUAGE, ["java"], [], [];
        JavaScript "javascript" tree_sitter_javascript::LANGUAGE, ["js" "mjs" "cjs" "jsx"], ["Jakefile"], ["node" "nodejs" "bun"];
        Json "json" tree_sitter_json::LANGUAGE, ["json" "jsonc" "geojson" "webmanifest" "ipynb"], [".babelrc" ".eslintrc"], [];
        Php "php" tree_sitter_php::LANGUAGE_PHP, ["php" "phtml" "php5" "phps"], [], ["php"];
        Python "python" tree_sitter_python::LANGUAGE, ["py" "pyi" "pyw" "bzl" "gyp"], ["SConstruct" "SConscript" "BUILD" "WORKSPACE"], ["python" "python2" "python3" "pypy" "pypy3" "uv"];
        Ruby "ruby" tree_sitter_ruby::LANGUAGE, ["rb" "rake" "gemspec" "ru"], ["Rakefile" "Gemfile" "Vagrantfile" "Podfile"], ["ruby" "jruby" "rake"];
        Rust "rust" tree_sitter_rust::LANGUAGE, ["rs"], [], ["rust-script"];
        Toml "toml" tree_sitter_toml_ng::LANGUAGE, ["toml"], ["Cargo.lock" "poetry.lock" "uv.lock"], [];
        Tsx "tsx" tree_sitter_typescript::LANGUAGE_TSX, ["tsx"], [], [];
        TypeScript "typescript" tree_sitter_typescript::LANGUAGE_TYPESCRIPT, ["ts" "mts" "cts"], [], ["ts-node" "deno" "tsx"];
    }
    of_wheels {
        Dart "dart", ["dart"], [];
        Haskell "haskell", ["hs"], ["runghc" "runhaskell"];
        Julia "julia", ["jl"], [];
        Kotlin "kotlin", ["kt" "kts"], [];
        Lua "lua", ["lua"], ["luajit"];
        Markdown "markdown", ["md"], [];
        Scala "scala", ["scala" "sc" "sbt"], [];
        Sql "sql", ["sql"], [];
        Swift "swift", ["swift"], [];
        Yaml "yaml", ["yaml" "yml"], [];
        Zig "zig", ["zig" "zon"], [];
    }
}

/// What people call languages beside their names and the endings of their files.
const ALIASES: [(&str, Language); 6] = [
    ("c#", Language::CSharp),
    ("c-sharp", Language::CSharp),
    ("cplusplus", Language::Cpp),
    ("ecmascript", Language::JavaScript),
    ("golang", Language::Go),
    ("shell", Language::Bash),
];

impl Language {
    /// The language that a name in any case, the ending of its files, a program that runs it or an alias tells.
    pub fn told_by(name: &str) -> Option<Language> {
        let name = name.to_lowercase();
        let is_told = |language: &Language| {
            [language.endings(), language.programs()].iter().any(|names| names.contains(&name.as_str()))
        };
        let alias = || ALIASES.iter().find(|(alias, _)| *alias == name).map(|&(_, language)| language);
        Language::named(&name).or_else(alias).or_else(|| Language::with_grammars().find(is_told))
    }

    pub fn named(name: &str) -> Option<Language> {
        Language::with_grammars().chain([Language::Text]).find(|language| language.name() == name)
    }

    /// Those that have a grammar, linked or from a wheel.
    fn with_grammars() -> impl Iterator<Item = Language> {
        Language::ALL.iter().chain(Language::OF_WHEELS).copied()
    }
}
