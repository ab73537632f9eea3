"""Comments and docstrings as structure."""

from __future__ import annotations

import pytest

from bytemill import code
from bytemill.code.docstrings import DocField, prose


def shape(comment: str) -> list[tuple[str, list[tuple[str, str | None, str]], str]]:
    return [(s.title, [tuple(f) for f in s.fields], s.text) for s in code.documentation(comment).sections]


GOOGLE = '''"""Get user by ID.

    Longer text.

    Args:
        user_id (int): The user's ID,
            whatever it is.
        *names: More.

    Returns:
        User object

    Raises:
        KeyError: If there is none.
    """'''

NUMPY = '''"""Get user by ID.

    Parameters
    ----------
    user_id : int
        The user's ID.
    flag
        Nothing.

    Returns
    -------
    str
        The name.

    Notes
    -----
    Some text.
    """'''

SPHINX = '''"""Get user by ID.

    :param int user_id: The user's ID,
        whatever it is.
    :returns: The name.
    :raises KeyError: If there is none.
    """'''

JAVADOC = """/**
 * Gets a user.
 *
 * <p>More.
 *
 * @param userId the ID
 *     of the user
 * @return the name
 * @throws IOException if not
 */"""

JSDOC = "/**\n * Adds.\n * @param {number} a - One.\n * @returns {number} The sum.\n */"

DOXYGEN = "/// \\brief Adds.\n/// \\param[in] a One.\n/// \\return The sum."


@pytest.mark.parametrize(
    ("comment", "style", "summary", "sections"),
    [
        (
            GOOGLE,
            "google",
            "Get user by ID.",
            [
                ("Args", [("user_id", "int", "The user's ID, whatever it is."), ("*names", None, "More.")], ""),
                ("Returns", [], "User object"),
                ("Raises", [("KeyError", None, "If there is none.")], ""),
            ],
        ),
        (
            NUMPY,
            "numpy",
            "Get user by ID.",
            [
                ("Parameters", [("user_id", "int", "The user's ID."), ("flag", None, "Nothing.")], ""),
                ("Returns", [("str", None, "The name.")], ""),
                ("Notes", [], "Some text."),
            ],
        ),
        (
            SPHINX,
            "sphinx",
            "Get user by ID.",
            [
                ("param", [("user_id", "int", "The user's ID, whatever it is.")], ""),
                ("returns", [], "The name."),
                ("raises", [("KeyError", None, "If there is none.")], ""),
            ],
        ),
        (
            JAVADOC,
            "tags",
            "Gets a user.",
            [
                ("param", [("userId", None, "the ID of the user")], ""),
                ("return", [], "the name"),
                ("throws", [("IOException", None, "if not")], ""),
            ],
        ),
        (
            JSDOC,
            "tags",
            "Adds.",
            [("param", [("a", "number", "One.")], ""), ("returns", [("", "number", "The sum.")], "")],
        ),
        (
            DOXYGEN,
            "tags",
            "",
            [("brief", [], "Adds."), ("param", [("a", None, "One.")], ""), ("return", [], "The sum.")],
        ),
        ("# just this", "plain", "just this", []),
        ('"""one: two"""', "plain", "one: two", []),
    ],
)
def test_every_style_is_read(comment: str, style: str, summary: str, sections: list[object]) -> None:
    found = code.documentation(comment)
    assert (found.style, found.summary) == (style, summary)
    assert shape(comment) == sections
    assert code.documentation(comment.encode()) == found


def test_signs_are_separated_from_prose() -> None:
    assert prose("// This is a comment") == "This is a comment"
    assert prose("# This is\n#   a comment") == "This is\n  a comment"
    assert prose("/* Multi-line\n * comment */") == "Multi-line\ncomment"
    assert prose("<!-- HTML -->") == "HTML"
    assert prose("r'''raw'''") == "raw"
    assert prose("-- SQL") == "SQL"
    assert prose("") == ""


def test_fields_have_names_and_wrong_arguments_are_named() -> None:
    assert DocField("a", None, "b").text == "b"
    with pytest.raises(TypeError, match="comment is str or bytes, not int"):
        code.documentation(3)  # type: ignore[arg-type]
