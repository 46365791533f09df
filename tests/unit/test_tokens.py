"""C tokens after translation phases 1 to 3, annotations kept, and their re-printing."""

from __future__ import annotations

from contextlib import suppress

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from judgebox.acsl.reprint import reprint
from judgebox.acsl.tokens import Kind, LexError, Token, lex
from judgebox.verdict import Reason


def texts(source: str) -> list[str]:
    return [token.text for token in lex(source)]


def annotation(source: str) -> list[str]:
    (token,) = lex(source)
    assert token.kind is Kind.ANNOTATION
    return [inner.text for inner in token.inner]


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("a+++b", ["a", "++", "+", "b"]),
        ("x<<=1>>2->y...z", ["x", "<<=", "1", ">>", "2", "->", "y", "...", "z"]),
        ("0x1e+3 1.5e-3f .5 08u", ["0x1e+3", "1.5e-3f", ".5", "08u"]),
        ("a<:1:> <% %> %:%:", ["a", "[", "1", "]", "{", "}", "##"]),
        ("a ??( 1 ??) ??' ??! ??- ??< ??>", ["a", "[", "1", "]", "^", "|", "~", "{", "}"]),
        ("re\\\nturn x", ["return", "x"]),
        ("re\\ \t\r\nturn", ["return"]),
        ("re??/\nturn", ["return"]),
        ("a /* b */ c // d \\\n e\nf", ["a", "c", "f"]),
        ("/* * / ** /* // */ a", ["a"]),
        ('"a\\"//b" \'\\\'\' L"x" u8"y" u\'z\'', ['"a\\"//b"', "'\\''", 'L"x"', 'u8"y"', "u'z'"]),
        ("a\r\nb\rc\fd\ve", ["a", "b", "c", "d", "e"]),
        ("a @ $ ` é", ["a", "@", "$", "`", "é"]),
        ("??=x", ["#x"]),
        ("x ??= y", ["x", "#", "y"]),
    ],
)
def test_tokens(source, expected):
    assert texts(source) == expected


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("#define A 1\nx", "#define A 1"),
        ("%:define A 1\nx", "#define A 1"),
        ("??=define A 1\nx", "#define A 1"),
        ("  # \t define  A /* b\nc */ 1 // d\nx", "#define A 1"),
        ("#def\\\nine A \\\n  1\nx", "#define A 1"),
        ("/* a */ #define A 1\nx", "#define A 1"),
        ("#\nx", "#"),
        ("#error don't\nx", "#error don't"),
    ],
)
def test_directives(source, expected):
    first, second = lex(source)
    assert (first.kind, first.text) == (Kind.DIRECTIVE, expected)
    assert second.text == "x"


def test_macro_parentheses_keep_their_blank():
    """`F (x)` and `F(x)` define different macros."""
    assert lex("#define F (x)\n") != lex("#define F(x)\n")


def test_hash_inside_a_line_is_no_directive():
    assert [token.kind for token in lex("x #y")] == [Kind.NAME, Kind.PUNCT, Kind.NAME]


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("//@ admit \\false;", ["admit", "\\false", ";"]),
        ("/\\\n/@ ad\\\nmit \\false;", ["admit", "\\false", ";"]),
        ("/*@ a\n  @ b\n  @@ c\n @*/", ["a", "b", "c"]),
        ("/*@ a // b */", ["a"]),
        ("/*@ a // b\n c */", ["a", "c"]),
        ("//@ 0 <= k < 0..n-1", ["0", "<=", "k", "<", "0", "..", "n", "-", "1"]),
        ("//@ a ==> b <==> c ^^ d", ["a", "==>", "b", "<==>", "c", "^^", "d"]),
        ("//@ ∀ ℤ k; k ≤ 1", ["∀", "ℤ", "k", ";", "k", "≤", "1"]),
        ("//@ a @ b", ["a", "@", "b"]),
        ("//@", []),
    ],
)
def test_annotations(source, expected):
    assert annotation(source) == expected


def test_only_a_comment_that_begins_with_the_sign_is_an_annotation():
    assert lex("/* @ admit */ // @ admit\n/**@ admit */ /*/@*/") == []


def test_comments_are_returned_when_asked_for():
    kinds = [token.kind for token in lex("a /* TODO */ //@ b;", comments=True)]
    assert kinds == [Kind.NAME, Kind.COMMENT, Kind.ANNOTATION]


def test_places_are_those_of_the_text_as_given():
    source = "a\r\n  /* x\n */ ret\\\nurn ??( b; //@ c\n"
    places = {token.text: (token.line, token.column) for token in lex(source)}
    assert places == {
        "a": (1, 1),
        "return": (3, 5),
        "[": (4, 5),
        "b": (4, 9),
        ";": (4, 10),
        "@": (4, 12),
    }
    for token in lex(source):
        if token.text in "ab;":
            assert source[token.start : token.end] == token.text
    (inner,) = lex(source)[-1].inner
    assert (inner.text, inner.line, inner.column) == ("c", 4, 16)


@pytest.mark.parametrize(
    ("source", "reason", "line", "column"),
    [
        ("a\n /* b", Reason.UNTERMINATED, 2, 2),
        ("a\n /*@ b", Reason.UNTERMINATED, 2, 2),
        ('a "b\nc"', Reason.UNTERMINATED, 1, 3),
        ("'a\n", Reason.UNTERMINATED, 1, 1),
        ("''", Reason.UNTERMINATED, 1, 1),
        ("#define A /* b", Reason.UNTERMINATED, 1, 11),
        ("a\n\0", Reason.BAD_CHARACTER, 2, 1),
        ("a \ud800", Reason.BAD_CHARACTER, 1, 3),
        ("//@ assert a */ b;", Reason.FORBIDDEN_ANNOTATION, 1, 14),
        ("/*@ assert a /* b; */", Reason.FORBIDDEN_ANNOTATION, 1, 14),
        ('//@ assert "a;', Reason.FORBIDDEN_ANNOTATION, 1, 12),
    ],
)
def test_errors_name_their_place(source, reason, line, column):
    with pytest.raises(LexError) as caught:
        lex(source)
    assert (caught.value.reason, caught.value.line, caught.value.column) == (reason, line, column)


@pytest.mark.parametrize("piece", ["'", '"', "/*", "\\\n", "a ", "??", "#'", "*/", "/*@", "@\n"])
def test_long_texts_take_linear_time(piece):
    source = piece * (200_000 // len(piece))
    with suppress(LexError):
        lex(source)


def test_reprint_spells_normally():
    source = "re\\\nturn x<:0:>; // c\n/*@ as\\\nsert a\n  && b; */\n\n\n\ty ??! z;"
    printed = reprint(lex(source))
    assert printed.text == "return\n     x[0];\n/*@ assert\n     a\n  && b; */\n y | z;\n"
    assert printed.origins == (1, 2, 3, 4, 5, 8)


def test_reprint_gives_annotations_lines_of_their_own():
    printed = reprint(lex("a; /*@ assert b; */ c; //@ assert d;\ne;"))
    assert [line.strip() for line in printed.lines] == [
        *("a;", "/*@ assert b; */", "c;", "/*@ assert d; */", "e;")
    ]


PIECES = [
    "a",
    "1",
    ".",
    "..",
    "0x1e",
    "+",
    "-",
    "<",
    ":",
    "%",
    "=",
    "/",
    "*",
    "&",
    "??/",
    "??=",
    "#",
]
PIECES += [
    "//@ x",
    "/*@ y",
    "*/",
    "//",
    "/*",
    "\n",
    " ",
    "\\\n",
    '"s"',
    "'c'",
    '"',
    "\\",
    "@",
    "L",
    "u8",
]
PIECES += [
    "\\forall",
    ";",
    "(",
    "{",
    "}",
    "==>",
    "∀",
    "é",
    "\r\n",
    "\t",
    "??",
    "?",
    ">",
    "e",
    "define",
]
SOUP = st.one_of(st.text(), st.lists(st.sampled_from(PIECES), max_size=40).map("".join))


def lexed(source: str) -> list[Token] | None:
    try:
        return lex(source)
    except LexError:
        return None


def stray(token: Token) -> bool:
    """What no body may hold, and printing may not keep: a lone backslash would splice lines."""
    if token.kind is Kind.DIRECTIVE:
        return "\\" in token.text
    return token.kind is Kind.OTHER or any(map(stray, token.inner))


@settings(max_examples=600, deadline=None)
@given(SOUP)
def test_reprinting_keeps_the_tokens(source):
    tokens = lexed(source)
    if tokens is not None and not any(map(stray, tokens)):
        printed = reprint(tokens)
        assert lex(printed.text) == tokens
        assert len(printed.lines) == len(printed.origins)
        assert "\\\n" not in printed.text


@settings(max_examples=300, deadline=None)
@given(SOUP)
def test_places_lie_in_the_text(source):
    lines = source.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    for token in lexed(source) or []:
        assert 1 <= token.line <= len(lines)
        assert 0 <= token.start < token.end <= len(source)
