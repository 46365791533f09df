"""The table of `extract`'s rule, and its promise never to raise and never to be slow."""

from __future__ import annotations

from types import SimpleNamespace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from judgebox.extract import CPP, MAX_REPLY, C, Extraction, NoCode, defines, extract
from judgebox.verdict import Reason

CODE = "int target(int x)\n{\n  return x + 1;\n}\n"
OTHER = "int other(int x)\n{\n  return x;\n}\n"


def fenced(code: str, info: str = "c", fence: str = "```") -> str:
    return f"{fence}{info}\n{code}{fence}\n"


def found(reply: object, language=C, entry="target") -> Extraction:
    result = extract(reply, language, entry)
    assert isinstance(result, Extraction), result
    return result


@pytest.mark.parametrize(
    ("reply", "code"),
    [
        pytest.param("Here:\n" + fenced(CODE), CODE, id="1 plain"),
        pytest.param(fenced(CODE, "C"), CODE, id="2 upper case"),
        pytest.param(fenced(CODE, "c {.numberLines}"), CODE, id="4 braces after"),
        pytest.param(fenced(CODE, 'c title="a"'), CODE, id="4 attribute"),
        pytest.param(fenced(CODE, "{.c .x}"), CODE, id="4 braces around"),
        pytest.param(fenced(CODE, " c"), CODE, id="4 blank before the tag"),
        pytest.param(fenced(CODE, ""), CODE, id="5 no info"),
        pytest.param(fenced(CODE, "c", "~~~"), CODE, id="6 tildes"),
        pytest.param(
            fenced("// ```\n```\n" + CODE, "c", "````"), "// ```\n```\n" + CODE, id="7 four"
        ),
        pytest.param(
            fenced('char *s = "```";\n' + CODE), 'char *s = "```";\n' + CODE, id="8 in a string"
        ),
        pytest.param("   ```c\n   int a;\n     int b;\n ```", "int a;\n  int b;\n", id="9 indent"),
        pytest.param(fenced(CODE).replace("\n", "\r\n"), CODE, id="11 CRLF"),
        pytest.param("\ufeff" + fenced(CODE), CODE, id="12 BOM before a fence"),
        pytest.param("\ufeff" + CODE, CODE, id="12 BOM before raw code"),
        pytest.param(fenced(CODE) + "or\n" + fenced(OTHER), CODE, id="13 the one with the target"),
        pytest.param(fenced("int a;\n") + fenced("int b;\n"), "int b;\n", id="13 else the last"),
        pytest.param(
            fenced(CODE) + fenced(CODE.replace("1", "2")), CODE.replace("1", "2"), id="13 last"
        ),
        pytest.param(fenced(CODE) + fenced("print(1)\n", "python"), CODE, id="14 other language"),
        pytest.param(
            f"<think>\n{fenced(OTHER)}</think>\n{fenced(CODE)}", CODE, id="15 draft in think"
        ),
        pytest.param(f"{fenced(OTHER)}</think>{fenced(CODE)}", CODE, id="17 no opening think"),
        pytest.param(
            f"<think>a</think>\n{fenced(OTHER)}<think>b</think>\n{fenced(CODE)}",
            CODE,
            id="20 two sections",
        ),
        pytest.param(
            fenced("// </think>\n" + CODE), "// </think>\n" + CODE, id="think inside a fence"
        ),
        pytest.param("```c\n" + CODE + "```   \t\nbye", CODE, id="22 spaces after the close"),
        pytest.param(CODE, CODE, id="26 raw"),
        pytest.param("\n\n  return x + 1;\n", "  return x + 1;\n", id="26 raw body"),
        pytest.param("/*@ ensures 1; */\n" + CODE, "/*@ ensures 1; */\n" + CODE, id="26 raw ACSL"),
        pytest.param(f"So:\n<code>{CODE}</code> done", CODE, id="28 element"),
        pytest.param(f'<code class="c">\n{CODE}</code>', CODE, id="28 with attribute"),
        pytest.param(
            "<code>if (a < b && c) return 1;</code>", "if (a < b && c) return 1;\n", id="29"
        ),
        pytest.param("<code>a &lt; b;</code>", "a &lt; b;\n", id="29 no entities"),
        pytest.param(
            fenced(CODE) + "Output:\n" + fenced("42\n", ""), CODE, id="30 output after the code"
        ),
        pytest.param(
            fenced(CODE, "") + "Output:\n" + fenced("42\n", ""), CODE, id="30 both untagged"
        ),
        pytest.param("1. So:\n   ```c\n   int a;\n   ```\n", "int a;\n", id="32 list item"),
        pytest.param("- ```c\n  int a;\n  ```\n", "int a;\n", id="32 on the item's line"),
        pytest.param(
            "  10. So:\n\n      ```c\n      int a;\n      ```\n", "int a;\n", id="32 deep"
        ),
        pytest.param("- a\n  - b\n    ```c\n    int a;\n    ```\n", "int a;\n", id="32 nested"),
        pytest.param("1. So:\n   ```c\nint a;\n```\n", "int a;\n", id="32 careless indent"),
        pytest.param(fenced("\tint a;\t// b\n"), "\tint a;\t// b\n", id="37 tabs"),
        pytest.param("```c\nint a;\n\n\n```", "int a;\n", id="38 one newline at the end"),
        pytest.param("<code>int a;</code>", "int a;\n", id="38 one is added"),
        pytest.param([fenced(CODE)[:20], fenced(CODE)[20:]], CODE, id="40 strings"),
        pytest.param(
            [{"type": "image_url", "image_url": {}}, {"type": "text", "text": fenced(CODE)}],
            CODE,
            id="40 mappings",
        ),
        pytest.param([SimpleNamespace(type="text", text=fenced(CODE))], CODE, id="40 objects"),
        pytest.param(fenced(CODE).encode(), CODE, id="bytes"),
        pytest.param("``` not a fence ```\n" + fenced(CODE), CODE, id="backticks in the info"),
        pytest.param(fenced(CODE) + fenced("", "c"), CODE, id="an empty block beside a full one"),
    ],
)
def test_code_is_found(reply, code):
    assert found(reply).code == code


@pytest.mark.parametrize(
    ("reply", "reason"),
    [
        pytest.param("", Reason.EMPTY_REPLY, id="empty"),
        pytest.param(" \n\t\n", Reason.EMPTY_REPLY, id="blank"),
        pytest.param(None, Reason.EMPTY_REPLY, id="nothing"),
        pytest.param([], Reason.EMPTY_REPLY, id="no parts"),
        pytest.param("I cannot do this. Sorry.", Reason.NO_CODE_BLOCK, id="prose"),
        pytest.param("For every x, the result is x + 1.", Reason.NO_CODE_BLOCK, id="prose: for"),
        pytest.param("    ```c\n    int a;\n    ```\n", Reason.NO_CODE_BLOCK, id="10 indented 4"),
        pytest.param(fenced("print(1)\n", "python"), Reason.NO_CODE_BLOCK, id="wrong language"),
        pytest.param(fenced("int a;\n", "cpp"), Reason.NO_CODE_BLOCK, id="C++ is not C"),
        pytest.param(
            fenced("<code>int a;</code>\n", "html"), Reason.NO_CODE_BLOCK, id="element in a fence"
        ),
        pytest.param(f"<think>\n{fenced(CODE)}</think>\n", Reason.NO_CODE_BLOCK, id="16"),
        pytest.param(
            f"<think>\n{fenced(CODE)}</think>\nDone.", Reason.NO_CODE_BLOCK, id="16 prose"
        ),
        pytest.param(f"<think>\n{fenced(CODE)}", Reason.UNCLOSED_THINK, id="18"),
        pytest.param(f"x</think>\n <think>\n{fenced(CODE)}", Reason.UNCLOSED_THINK, id="18 second"),
        pytest.param("```c\n```\n", Reason.EMPTY_REPLY, id="24"),
        pytest.param("```c\n  \n```\n", Reason.EMPTY_REPLY, id="24 blank"),
        pytest.param("```c", Reason.EMPTY_REPLY, id="24 cut off"),
        pytest.param("<code></code>", Reason.EMPTY_REPLY, id="24 element"),
        pytest.param(fenced("-a\n+b\n", "diff"), Reason.DIFF_REPLY, id="31 tagged"),
        pytest.param(fenced("--- a\n+++ b\n@@ -1 +1 @@\n"), Reason.DIFF_REPLY, id="31 tagged as C"),
        pytest.param(fenced("@@ -1,2 +1,3 @@\n a\n", ""), Reason.DIFF_REPLY, id="31 untagged"),
        pytest.param(" " * 1_000_000, Reason.REPLY_TOO_LARGE, id="34"),
        pytest.param(b" " * 1_000_000, Reason.REPLY_TOO_LARGE, id="34 bytes"),
        pytest.param(["x" * MAX_REPLY, "x"], Reason.REPLY_TOO_LARGE, id="34 parts"),
        pytest.param(fenced("int a;\0\n"), Reason.BAD_CHARACTER, id="35"),
        pytest.param(fenced("int a; // \ud800\n"), Reason.BAD_CHARACTER, id="36"),
        pytest.param(b"```c\nint a; // \xff\n```", Reason.BAD_CHARACTER, id="invalid UTF-8"),
        pytest.param(["```c\nint a;\n```", b"\xc3"], Reason.BAD_CHARACTER, id="invalid in a part"),
    ],
)
def test_no_code(reply, reason):
    result = extract(reply, C, "target")
    assert isinstance(result, NoCode)
    assert result.reason is reason
    assert result.message
    assert "\n" not in result.message


@pytest.mark.parametrize("tag", ["c++", "cpp", "cc", "cxx", "c++17", "CPP", "C++20"])
def test_aliases(tag):
    """Row 3."""
    assert found(fenced(CODE, tag), CPP).tag == tag
    assert isinstance(extract(fenced(CODE, tag), C), NoCode)


def test_what_was_chosen_is_recorded():
    result = found("Draft\n" + fenced(OTHER) + "text\n" + fenced(CODE, "C x"))
    assert result == Extraction(CODE, "fence", "C", 1, False, 10)
    assert found(CODE) == Extraction(CODE, "raw", None, 0, False, 1)
    assert found("\n \n" + CODE).line == 3
    reply = f"a\n<code>int a;</code>\n<code>\n{CODE}</code>"
    assert found(reply) == Extraction(CODE, "code_element", None, 1, False, 4)
    assert found(f"<think>\n\n</think>\n```c\n{CODE}```").line == 5


@pytest.mark.parametrize(
    "reply", ["```c\n" + CODE, "```c\n" + CODE + "```  tail\n", "<code>" + CODE]
)
def test_cut_off_replies_are_flagged(reply):
    """Rows 21 and 23: a fence that never closes is taken to the end."""
    result = found(reply)
    assert result.unclosed
    assert result.code.startswith(CODE)


def test_entry_point():
    main = "int main(void) { return 0; }\n"
    reply = fenced(main) + fenced(OTHER)
    assert found(reply, entry=None).code == main
    assert found(reply, entry="other").code == OTHER
    assert found(reply, entry=lambda code: "main" in code).code == main
    assert found(reply, entry="missing").code == OTHER


@pytest.mark.parametrize(
    ("code", "is_defined"),
    [
        (CODE, True),
        ("int target(int x);\n", False),
        ("int r = target(x);\n", False),
        ("int target (\n  int x)\n// note\n{ }", True),
        ("int my_target(int x) { }", False),
        ("target(", False),
    ],
)
def test_defines(code, is_defined):
    assert defines("target")(code) is is_defined


@pytest.mark.parametrize(
    "piece",
    [
        *("`", "~", "```\n", "```c\n", "</think>", "<think>\n", "<code>", "<code ", " \n", "- "),
        *("target(", "target(){", "--- a\n+++", "@@ -1 ", "a b( ", "1. ", "- a\n", "x = ; "),
    ],
)
def test_long_replies_take_linear_time(piece):
    """Quadratic steps would take hours at this length."""
    extract(piece * (MAX_REPLY // len(piece)), C, "target")
    extract("a b(" + piece * (MAX_REPLY // len(piece) - 4) + ")", C, "target")


PIECES = [
    "```",
    "~~~",
    "c",
    "\n",
    " ",
    "    ",
    "</think>",
    "<think>",
    "<code>",
    "</code>",
    "{",
    "}",
]
PIECES += [
    "int target(int x)",
    "- ",
    "1. ",
    "\t",
    "\r\n",
    "\ud800",
    "\0",
    "\ufeff",
    "@@",
    "diff",
    ";",
]


@settings(max_examples=200, deadline=None)
@given(st.one_of(st.text(st.characters(exclude_categories=())), st.lists(st.sampled_from(PIECES))))
def test_never_raises(reply):
    for language in (C, CPP):
        for entry in (None, "target"):
            result = extract(reply, language, entry)
            if isinstance(result, Extraction):
                assert result.code.strip()
                assert result.code.endswith("\n")
                assert not result.code.endswith("\n\n")


@settings(max_examples=100, deadline=None)
@given(st.binary())
def test_never_raises_on_bytes(reply):
    assert isinstance(extract(reply, C), Extraction | NoCode)


@settings(max_examples=200, deadline=None)
@given(st.text("ab`~ {}\n"), st.sampled_from("`~"))
def test_a_long_enough_fence_keeps_anything(code, mark):
    """What stands in a fence longer than any run inside comes out as it went in."""
    fence = mark * (len(code) + 3)
    result = extract(f"{fence}c\n{code}\n{fence}", C)
    if code.strip():
        assert isinstance(result, Extraction)
        assert result.code == code.rstrip("\n") + "\n"
        assert not result.unclosed
