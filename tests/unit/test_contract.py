"""The task's text, and what makes a submission the task's text with another body."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from judgebox.acsl.contract import JudgedText, Refusal, TaskText, check
from judgebox.errors import UsageError
from judgebox.verdict import Reason

C1 = """\
/*@ requires -1000 <= x <= 1000;
    assigns \\nothing;
    ensures \\result == x + 1; */
int target(int x) { /* TODO */ }
"""
SIGNATURE = "static int target(point *p, const point *q, int n, const int a[], u32 mask)"
RICH = """\
#include <limits.h>
#define N 10
#define MAX(a, b) ((a) > (b) ? (a) : (b))
typedef struct point { int x, y; } point;
struct cell { int value; struct cell *next; };
enum color { RED, GREEN = 3 };
typedef unsigned int u32;
int total, *spot, table[N] = {1, 2};

/*@ assigns \\nothing;
    ensures \\result == v; */
int same(int v);

/*@ requires n >= 0 && \\valid(p);
    decreases n;
    assigns *p;
    ensures p->x == n; */
static int target(point *p, const point *q, int n, const int a[], u32 mask)
{
  // TODO: the body
}

int after(void) { return 1; }
"""
SIMPLE = TaskText.parse(C1)
TASK = TaskText.parse(RICH)
DATA = Path(__file__).parents[2] / "data"


def judged(code: str, task: TaskText = SIMPLE, **options) -> JudgedText:
    result = check(task, code, **options)
    assert isinstance(result, JudgedText), result
    return result


def refused(code: str, task: TaskText = SIMPLE, **options) -> Refusal:
    result = check(task, code, **options)
    assert isinstance(result, Refusal), result
    assert result.message
    assert "\n" not in result.message
    return result


# --- the task's text


def test_task_names():
    assert TASK.name == "target"
    assert (TASK.line, TASK.contract_line) == (18, 14)
    assert TASK.return_type == "int"
    assert [(p.name, p.type, p.is_pointer) for p in TASK.parameters] == [
        ("p", "point *", True),
        ("q", "const point *", True),
        ("n", "int", False),
        ("a", "const int *", True),
        ("mask", "u32", False),
    ]
    names = TASK.names
    assert names.functions == {"same", "after"}
    assert names.pure == {"same"}
    assert names.globals == {"total", "spot", "table"}
    assert names.types == {"point": "struct", "u32": "arithmetic"}
    assert names.tags == {"point", "cell"}
    assert names.enumerators == {"RED", "GREEN"}
    assert names.macros["N"].text == "10"
    assert names.macros["MAX"].parameters == ("a", "b")
    assert TASK.recursive
    assert not SIMPLE.recursive


@pytest.mark.parametrize(
    ("contract", "completed"),
    [
        ("assigns \\nothing;", "terminates \\true; exits \\false; assigns \\nothing;"),
        ("ensures \\true;", "terminates \\true; exits \\false; ensures \\true;"),
        ("requires x > 0;", "requires x > 0; terminates \\true; exits \\false;"),
        (
            "requires x > 0; decreases x; assigns \\nothing;",
            "requires x > 0; terminates \\true; decreases x; exits \\false; assigns \\nothing;",
        ),
        (
            "check requires x > 0; behavior b: assumes x > 2; requires x > 1;",
            "check requires x > 0; terminates \\true; exits \\false;"
            " behavior b: assumes x > 2; requires x > 1;",
        ),
        (
            "requires \\forall int i; i > 0; requires \\let y = x; y > 0; assigns \\nothing;",
            "requires \\forall int i; i > 0; requires \\let y = x; y > 0;"
            " terminates \\true; exits \\false; assigns \\nothing;",
        ),
        ("terminates x > 0; assigns a;", "terminates x > 0; exits \\false; assigns a;"),
        ("assigns a; exits x == 1;", "terminates \\true; assigns a; exits x == 1;"),
        (
            "terminates \\true; exits \\false; assigns a;",
            "terminates \\true; exits \\false; assigns a;",
        ),
        (
            "ensures x > 0; behavior b: exits x > 1;",
            "terminates \\true; ensures x > 0; behavior b: exits x > 1;",
        ),
    ],
)
def test_termination_is_demanded(contract, completed):
    rest = "\nint f(int x) { /* TODO */ }\n"
    task = TaskText.parse(f"/*@ {contract} */{rest}")
    assert task.text == f"/*@ {completed} */{rest}"
    assert task.text.count("\n") == task.source.count("\n")
    one_line = TaskText.parse(f"//@ {contract}{rest}")
    assert one_line.text == f"//@ {completed}{rest}"
    assert len(task.inserted) == (completed != contract) * (
        ("terminates" not in contract) + ("exits" not in contract)
    )
    assert TaskText.parse(task.text).text == task.text


def test_with_body():
    assert SIMPLE.with_body(" return 0; ").endswith("int target(int x) { return 0; }\n")
    assert TASK.with_body("X").endswith("{X}\n\nint after(void) { return 1; }\n")
    assert "terminates \\true;\n" not in TASK.with_body("X")  # on lines that exist


@pytest.mark.parametrize(
    ("signature", "stubs"),
    [
        ("void f(int *p)", ("",)),
        ("int f(int x, const int *p, long y)", ("0", "1", "-1", "x", "y")),
        ("u8 f(u8 x)", ("0", "1", "-1", "x")),
        ("int *f(int *p, const int *q, char *r, int n)", ("0", "p", "q")),
        ("char *f(void)", ("0",)),
    ],
)
def test_stubs(signature, stubs):
    source = f"typedef unsigned char u8;\n/*@ ensures 1; */ {signature} {{ /* TODO */ }}"
    wanted = tuple(value and f" return {value}; " for value in stubs)
    assert TaskText.parse(source).stubs() == wanted


def test_struct_stub():
    source = "struct s { int x; };\n//@ ensures 1;\nstruct s f(void) { /* TODO */ }"
    assert TaskText.parse(source).stubs() == (" struct s stub = {0}; return stub; ",)


@pytest.mark.parametrize(
    ("source", "line", "says"),
    [
        ("", 1, "TODO"),
        ("int f(void);\n\nint g(void)\n{ return 1; }\n", 4, "TODO"),
        ("int f(void) { return 1; /* TODO */ }", 1, "TODO"),
        ("\nint f(void)\n{ /* TODO */ }", 2, "no contract"),
        ("//@ predicate p = \\true;\nint f(void) { /* TODO */ }", 2, "no contract"),
        ("//@ ensures 1;\nint g(void);\nint f(void) { /* TODO */ }", 3, "no contract"),
        (C1 + "\n" + C1.replace("target", "other"), 9, "more than one"),
        ("/*@ ensures 1; */\nint f(void) { /* TODO", 2, "never closed"),
        ('int a = "\n";', 1, "never closed"),
        ("//@ ensures 1;\nint f(void) { { /* TODO */ }", 2, "never closed"),
        ("int a;\n}", 2, "closes nothing"),
        ("int a;\n\0", 2, "NUL"),
        ("//@ ensures 1;\nint f(int (*g)(void)) { /* TODO */ }", 2, "parameters"),
    ],
)
def test_unusable_task_files_name_the_line(source, line, says):
    with pytest.raises(UsageError, match=says) as caught:
        TaskText.parse(source)
    assert str(caught.value).startswith(f"line {line}: ")


def test_todo_marks_the_target_among_empty_functions():
    source = "void g(void) {}\n//@ ensures 1;\nvoid f(void) { // TODO\n}\n"
    assert TaskText.parse(source).name == "f"
    assert TaskText.parse(source.replace("// TODO", "").replace("void g(void) {}", "")).name == "f"


def test_contract_may_stand_at_a_prototype():
    task = TaskText.parse("//@ ensures 1;\nint f(int x);\nint f(int x) { /* TODO */ }\n")
    assert task.contract_line == 1
    assert task.text.startswith("//@ terminates \\true; exits \\false; ensures 1;\n")
    assert judged("return 1;", task).text.endswith("int f(int x) {\nreturn 1;\n}\n")


# --- forms


BODY = "return x + 1;"


@pytest.mark.parametrize(
    ("code", "form"),
    [
        (BODY, "body"),
        ("{ " + BODY + " }", "body"),
        ("int target(int x) { return x + 1; }", "function"),
        ("int\ntarget ( int x )\n{ return x + 1; }\n", "function"),
        (C1.replace("/* TODO */", BODY), "file"),
        (SIMPLE.with_body(BODY), "file"),
        ("\ufeff" + C1.replace("/* TODO */", BODY), "file"),
        (C1.replace("/* TODO */", BODY).replace("\n", "\r\n"), "file"),
        (C1.replace("/* TODO */", BODY).replace(" ", "\t \n"), "file"),
        (
            "// hi\n" + C1.replace("/* TODO */", BODY).replace("(int x)", "(/* admit */int x)"),
            "file",
        ),
        (C1.replace("/* TODO */", BODY).replace("assigns", "// note\n  @ assigns"), "file"),
        (C1.replace("{ /* TODO */ }", "<% return x + 1; %>"), "file"),
    ],
)
def test_forms(code, form):
    result = judged(code)
    assert result.form == form
    assert " ".join(result.body.split()) == BODY
    assert result.text == SIMPLE.with_body("\n" + result.body)
    assert result.name == "target"


def test_forms_of_a_task_with_context():
    body = "p->x = n; return same(MAX(n, N));"
    for form, code in (
        ("body", body),
        (
            "function",
            f"{SIGNATURE}\n{{{body}}}",
        ),
        ("function", RICH[RICH.index("/*@ requires") : RICH.index("  // TODO")] + body + "}"),
        (
            "function",
            TASK.text[TASK.text.index("/*@ requires") : TASK.text.index("  // TODO")] + body + "}",
        ),
        ("file", RICH.replace("// TODO: the body", body)),
        ("file", TASK.with_body(body)),
    ):
        result = judged(code, TASK)
        assert result.form == form
        assert result.text == TASK.with_body("\n" + result.body)


def test_line_map():
    code = (
        "// a\n\nint target(int x)\n{\n  int y = x;\n\n  //@ assert y ==\\\n x;\n  return\ty + 1; }"
    )
    result = judged(code)
    lines = result.text.split("\n")
    shown = {lines[line - 1].strip(): origin for line, origin in result.line_map.items()}
    assert shown == {"int y = x;": 5, "/*@ assert y ==": 7, "x; */": 8, "return y + 1;": 9}
    assert result.submission_line(1) is None
    assert result.submission_line(5) == 5


def test_the_judged_text_has_normal_spelling():
    code = "i\\\nf (x ??!??! 0) <% re\\\r\nturn 1; %> // admit\n/* admit */ return x + 1;"
    assert " ".join(judged(code).body.split()) == "if (x || 0) { return 1; } return x + 1;"


# --- refusals


FULL = C1.replace("/* TODO */", BODY)


@pytest.mark.parametrize(
    ("code", "reason", "line"),
    [
        pytest.param("", Reason.EMPTY_REPLY, None, id="empty"),
        pytest.param("/* nothing */", Reason.EMPTY_REPLY, None, id="comment only"),
        pytest.param("return 0; /*", Reason.UNTERMINATED, 1, id="comment"),
        pytest.param('return "0;\n', Reason.UNTERMINATED, 1, id="string"),
        pytest.param("int target(int x) { return 0;", Reason.UNTERMINATED, 1, id="brace"),
        pytest.param("return 0;\n}\nint f(void) {", Reason.UNTERMINATED, 2, id="13, 14, 37 escape"),
        pytest.param("return (x]);", Reason.UNTERMINATED, 1, id="brackets"),
        pytest.param("return 0;\0", Reason.BAD_CHARACTER, 1, id="NUL"),
        pytest.param("return 0; // \udfff", Reason.BAD_CHARACTER, 1, id="surrogate"),
        pytest.param("int x;" * 100_000, Reason.BODY_TOO_LARGE, None, id="size"),
        pytest.param("int targt(int x) { return 0; }", Reason.TARGET_MISSING, 1, id="renamed"),
        pytest.param("int f(int x) { return 0; }\nreturn f(x);", Reason.TARGET_MISSING, 1, id="f"),
        pytest.param(FULL + FULL, Reason.TARGET_REPEATED, 8, id="twice"),
        pytest.param(
            FULL.replace("int x)", "long x)"), Reason.CONTRACT_CHANGED, 4, id="parameter type"
        ),
        pytest.param("int target(int y) { return 0; }", Reason.CONTRACT_CHANGED, 1, id="name"),
        pytest.param("long target(int x) { return 0; }", Reason.CONTRACT_CHANGED, 1, id="return"),
        pytest.param(
            "static int target(int x) { return 0; }", Reason.CONTRACT_CHANGED, 1, id="static"
        ),
        pytest.param(
            FULL.replace("\\result == x + 1", "\\true"), Reason.CONTRACT_CHANGED, 3, id="22 weaker"
        ),
        pytest.param(
            FULL.replace("assigns", "requires \\false;\n assigns"), Reason.CONTRACT_CHANGED, 2,
            id="22 stronger requires",
        ),
        pytest.param(
            FULL.replace("\n    ensures \\result == x + 1;", ""), Reason.CONTRACT_CHANGED, None,
            id="22 clause dropped",
        ),
        pytest.param(
            "//@ ensures \\true;\nint target(int x) { return 0; }", Reason.CONTRACT_CHANGED, 1,
            id="22 on the function",
        ),
        pytest.param(FULL + "int f(int x);", Reason.CONTEXT_CHANGED, 5, id="13 assumed callee"),
        pytest.param(
            C1.replace("/* TODO */", "return magic(x); }\n//@ ensures \\true;\nint magic(int y) {"),
            Reason.CONTEXT_CHANGED, 5, id="13 in the file",
        ),
        pytest.param(
            "int target(int x) { return 0; }\n/*@ axiomatic E { axiom bad: \\false; } */\n"
            "int other(int y) { return 0; }", Reason.CONTEXT_CHANGED, 2, id="14 in the function",
        ),
        pytest.param(
            "//@ axiomatic E { axiom bad: \\false; }\n" + FULL, Reason.CONTEXT_CHANGED, 1,
            id="37 axiom before",
        ),
        pytest.param(
            "/*@ requires \\false; */ int target(int x);\n" + FULL, Reason.CONTEXT_CHANGED, 1,
            id="37 declared again",
        ),
        pytest.param(
            FULL.replace("int target", "/*@ lemma l: \\false; */ int target"),
            Reason.CONTEXT_CHANGED, 4, id="37 lemma between",
        ),
        pytest.param(
            "static int helper(int x) { return x; }\n" + FULL, Reason.CONTEXT_CHANGED, 1,
            id="23 helper",
        ),
        pytest.param("#define assigns\n" + FULL, Reason.CONTEXT_CHANGED, 1, id="directive"),
        pytest.param('#line 1 "other.h"\n' + FULL, Reason.CONTEXT_CHANGED, 1, id="36"),
        pytest.param("#include <limits.h>\n" + FULL, Reason.CONTEXT_CHANGED, 1, id="include"),
        pytest.param(FULL + "//@ admit \\false;", Reason.CONTEXT_CHANGED, 5, id="after the end"),
    ],
)  # fmt: skip
def test_refusals(code, reason, line):
    result = refused(code)
    assert result.reason is reason, result
    assert line is None or result.line == line


def test_a_file_without_the_tasks_context_is_refused():
    code = RICH.replace("// TODO: the body", "return 0;").replace("#include <limits.h>\n", "")
    result = refused(code, TASK)
    assert result.reason is Reason.CONTEXT_CHANGED
    assert "#include <limits.h>" in result.message
    lost = RICH.replace("// TODO: the body", "return 0;")
    lost = lost[: lost.index("/*@ requires")] + lost[lost.index("static") :]
    assert refused(lost, TASK).reason is Reason.CONTRACT_CHANGED
    changed = RICH.replace("// TODO: the body", "return 0;").replace("N 10", "N 11")
    assert refused(changed, TASK).reason is Reason.CONTEXT_CHANGED


def test_messages_point_at_the_difference():
    result = refused(FULL.replace("x + 1; */", "y + 1; */"))
    assert "`y` stands where the task has `x`" in result.message
    assert (result.line, result.column) == (3, 24)


def test_references_of_our_tasks_pass():
    tasks = sorted(DATA.glob("*/*/*/task.c"))
    for path in tasks:
        task = TaskText.parse(path.read_text())
        for code in [*path.parent.glob("reference*.c"), *path.parent.glob("wrong/*.c")]:
            judged(code.read_text(), task)
    assert tasks


# --- any text


PIECES = [
    "int",
    "target",
    "(",
    ")",
    "{",
    "}",
    "x",
    ";",
    "return",
    "+",
    "*",
    "=",
    "++",
    "if",
    "else",
]
PIECES += ["for", "while", "do", "switch", "case", "0", "1", "[", "]", ",", "?", ":", "&", "sizeof"]
PIECES += ["//@ assert x;\n", "/*@ loop variant x; */", "#define x\n", "\\\n", "'a'", '"s"', "."]
PIECES += [
    "->",
    "&&",
    "struct",
    "const",
    "y",
    "goto",
    "(int)",
    "(int x)",
    "/*@ ghost int g = 0; */",
]
SOUP = st.one_of(
    st.text(st.characters(exclude_categories=())),
    st.lists(st.sampled_from(PIECES), max_size=60).map(" ".join),
    st.lists(st.sampled_from(PIECES), max_size=40).map("".join),
)


@settings(max_examples=800, deadline=None)
@given(SOUP, st.booleans())
def test_never_raises(code, wrapped):
    code = f"int target(int x) {{ {code} }}" if wrapped else code
    for task in (SIMPLE, TASK):
        result = check(task, code, allow_ghost=True, allow_goto=True)
        if isinstance(result, JudgedText):
            again = check(task, result.text, allow_ghost=True, allow_goto=True)
            assert isinstance(again, JudgedText)
            assert (again.form, again.text) == ("file", result.text)
            assert again.initialised == result.initialised


@settings(max_examples=300, deadline=None)
@given(SOUP)
def test_parse_raises_usage_errors_only(source):
    for text in (source, source + "\n//@ ensures 1;\nint f(int x) { /* TODO */ }"):
        try:
            TaskText.parse(text)
        except UsageError as error:
            assert str(error).startswith("line ")  # noqa: PT017
