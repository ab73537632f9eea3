"""A small source in every language whose grammar is in a wheel, and some of its pieces by their kinds."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Sample:
    ending: str
    source: str
    kinds: dict[str, list[str]]


SAMPLES = {
    "dart": Sample(
        "dart",
        """// by name
/// A user.
import 'dart:io';
class User {
  final String userName; int age = 42; double d = 1.5; bool b = true;
  String greet() => "Hello, $userName ${age + 1}\\n"; /* end */
}
""",
        {
            "comment": ["// by name", "/* end */"],
            "docstring": ["/// A user."],
            "string": ["'dart:io'", '"Hello, '],
            "identifier": ["User", "userName", "age", "greet"],
            "number": ["42", "1.5", "1"],
            "keyword": ["import", "class", "final", "true"],
        },
    ),
    "haskell": Sample(
        "hs",
        """{- block -}
-- a comment
module Main where
import Data.List (sort)
-- | Its name.
userName :: Int -> String
userName 42 = "Hello" ++ ['c']
userName n | n > 1.5 = show n
           | otherwise = let x = 1 in "y\\n"
data T = A | B deriving (Eq)
""",
        {
            "comment": ["{- block -}", "-- a comment"],
            "docstring": ["-- | Its name."],
            "string": ['"Hello"', "'c'", '"y\\n"'],
            "identifier": ["Main", "userName", "sort", "String", "A"],
            "number": ["42", "1.5", "1"],
            "keyword": ["module", "where", "import", "let", "in", "data", "deriving"],
        },
    ),
    "julia": Sample(
        "jl",
        """# a comment
#= block =#
function greet(name::String, n=42)
    x = "Hello, $name $(n+1)\\n"; c = 'c'; r = r"a+"; b = true
    return x * 1.5e3
end
""",
        {
            "comment": ["# a comment", "#= block =#"],
            "string": ['"Hello, ', "'c'", 'r"a+"'],
            "identifier": ["greet", "name", "String", "n"],
            "number": ["42", "1", "1.5e3"],
            "keyword": ["function", "return", "end", "true"],
        },
    ),
    "kotlin": Sample(
        "kt",
        '''// a comment
/** A user. */
package a.b
class User(val name: String, var age: Int = 42) {
    fun greet(): String = "Hello, ${name}\\n" // end
    val x: Double = 1.5e3; val c = 'c'
    val raw = """raw ${x}"""
}
''',
        {
            "comment": ["// a comment", "// end"],
            "docstring": ["/** A user. */"],
            "string": ['"Hello, ', "'c'", '"""raw '],
            "identifier": ["User", "name", "greet", "String", "x"],
            "number": ["42", "1.5e3"],
            "keyword": ["package", "class", "val", "fun"],
        },
    ),
    "lua": Sample(
        "lua",
        """-- a comment
--[[ long
comment ]]
local user_name = "Hello" .. 'x' .. [[long string]]
local function f(a, ...) if a ~= nil and not false then return 42, 0x1F, 1.5e3 end end
""",
        {
            "comment": ["-- a comment", "--[[ long\ncomment ]]"],
            "string": ['"Hello"', "'x'", "[[long string]]"],
            "identifier": ["user_name", "f", "a"],
            "number": ["42", "0x1F", "1.5e3"],
            "keyword": ["local", "function", "if", "nil", "false", "return", "end"],
            "operator": ["=", "..", "~="],
        },
    ),
    "markdown": Sample(
        "md",
        """# Heading *one*

A paragraph with `code` and [a link](http://x.y).

[name]: http://a.b 'title'

- item 1
- item two

```python
def f(): pass
```

> quote

| a | b |
|---|---|
| 1 | 2 |
""",
        {
            "identifier": ["Heading", "paragraph", "item", "python", "def", "quote"],
            "string": ["http://a.b"],
            "number": ["1", "2"],
            "operator": ["#", "-", ">"],
        },
    ),
    "scala": Sample(
        "scala",
        '''// a comment
/** Main. */
package a
object Main extends App {
  val userName: String = s"Hello $x ${y}"; val c = 'c'; val n = 42; val d = 1.5
  def f(x: Int) = if (x > 1) true else null /* end */
  val m = """many"""
}
''',
        {
            "comment": ["// a comment", "/* end */"],
            "docstring": ["/** Main. */"],
            "string": ['s"Hello ', "'c'", '"""many"""'],
            "identifier": ["Main", "userName", "String", "x", "y"],
            "number": ["42", "1.5", "1"],
            "keyword": ["package", "object", "val", "def", "if", "true", "null"],
            "operator": [">"],
        },
    ),
    "sql": Sample(
        "sql",
        """-- a comment
/* block */
SELECT user_name, count(*) AS total, 1.5 FROM users WHERE id = 42 AND name LIKE 'O''Brien%' AND x IS NOT NULL;
create table t (id int primary key, name varchar(20));
""",
        {
            "comment": ["-- a comment", "/* block */"],
            "string": ["'O''Brien%'"],
            "identifier": ["user_name", "total", "users", "name", "t"],
            "number": ["1.5", "42", "20"],
            "keyword": ["SELECT", "FROM", "NULL", "create", "primary"],
        },
    ),
    "swift": Sample(
        "swift",
        """// a comment
/// A user.
import Foundation
struct User {
  let userName: String; var age: Int = 42
  func greet() -> String { return "Hello, \\(userName)!" } /* end */
  let d = 1.5e3; let ok = true; let n: Int? = nil; let h = 0xFF
}
""",
        {
            "comment": ["// a comment", "/* end */"],
            "docstring": ["/// A user."],
            "string": ['"Hello, \\(', ')!"'],
            "identifier": ["Foundation", "User", "userName", "String"],
            "number": ["42", "1.5e3", "0xFF"],
            "keyword": ["import", "struct", "let", "func", "return", "true", "nil"],
        },
    ),
    "yaml": Sample(
        "yaml",
        """# a comment
name: "Hello" # end
user_name: plain text
list: [1, 2.5, true, null, 'x']
anchor: &a
  k: *a
lit: |
  block text
  here
tag: !!str 42
""",
        {
            "comment": ["# a comment", "# end"],
            "string": ['"Hello"', "'x'"],
            "identifier": ["name", "user_name", "plain", "text", "a"],
            "number": ["1", "2.5", "42"],
            "keyword": ["true", "null", "!!str"],
        },
    ),
    "zig": Sample(
        "zig",
        """// a comment
/// The start.
const std = @import("std");
pub fn main() !void {
    const user_name: u32 = 42; const s = "Hello\\n"; const c = 'c'; const f = 1.5e3;
    if (true) return;
}
""",
        {
            "comment": ["// a comment"],
            "docstring": ["/// The start."],
            "string": ['"std"', '"Hello\\n"', "'c'"],
            "identifier": ["std", "main", "user_name"],
            "number": ["42", "1.5e3"],
            "keyword": ["const", "pub", "fn", "if", "return", "true"],
        },
    ),
}
