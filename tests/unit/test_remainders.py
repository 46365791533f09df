"""`INT_MIN % -1`: the quotient is asked about beside each remainder, and nothing else changes."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from judgebox.acsl.contract import JudgedText, Refusal, TaskText, check
from judgebox.acsl.macros import expand
from judgebox.acsl.remainders import MAX_COPIED, Remainder, ask, in_body
from judgebox.acsl.tokens import lex
from judgebox.verdict import Reason

TASK = TaskText.parse(
    """\
#include <limits.h>
#define N 10
#define MINUS (-1)
#define STEP (s)
#define PLUS(v) ((v) + 1)
#define TWICE(v) ((v) + (v))
#define HALF(v) ((v) % 2)
#define MOD(a, b) ((a) % (b))
#define SAME(v) v
#define NEG(v) -v
#define SUM x + y
enum sign { NEGATIVE = -1, ONE = 1 };
typedef struct point { int x, y; } point;

/*@ assigns \\nothing; */
int pure(int v);

/*@ assigns *p; */
int store(int *p);

/*@ requires y != 0; decreases y; assigns *p; */
int target(int x, int y, int s, int *p, point *q, unsigned u)
{ /* TODO */ }
"""
)


def judged(body: str, task: TaskText = TASK) -> JudgedText:
    result = check(task, body)
    assert isinstance(result, JudgedText), result
    return result


def refused(body: str) -> Refusal:
    result = check(TASK, body)
    assert isinstance(result, Refusal), result
    assert "\n" not in result.message
    return result


REWRITTEN = [
    ("return x % y;", "return (x % y + 0 * (x / y));"),
    ("return x%y;", "return (x % y + 0 * (x / y));"),
    ("return -x % -y + 1;", "return (-x % -y + 0 * (-x / -y)) + 1;"),
    ("return s + x * y % s;", "return s + (x * y % s + 0 * (x * y / s));"),
    ("return x % y * s;", "return (x % y + 0 * (x / y)) * s;"),
    ("return x % y / s;", "return (x % y + 0 * (x / y)) / s;"),
    ("return (x + 1) % (y - 1);", "return ((x + 1) % (y - 1) + 0 * ((x + 1) / (y - 1)));"),
    ("return x %*p;", "return (x % *p + 0 * (x / *p));"),
    ("return *p % q->x;", "return (*p % q->x + 0 * (*p / q->x));"),
    ("return (int)u % (int)s;", "return ((int)u % (int)s + 0 * ((int)u / (int)s));"),
    ("return u % (unsigned)y;", "return (u % (unsigned)y + 0 * (u / (unsigned)y));"),
    ("return pure(x) % pure(y);", "return (pure(x) % pure(y) + 0 * (pure(x) / pure(y)));"),
    ("if (x % y == 0) return 1;", "if ((x % y + 0 * (x / y)) == 0) return 1;"),
    ("return x ? x % y : s;", "return x ? (x % y + 0 * (x / y)) : s;"),
    ("int r = x % y; return r;", "int r = (x % y + 0 * (x / y)); return r;"),
    ("int a[] = {x % y, 1};", "int a[] = {(x % y + 0 * (x / y)), 1};"),
    ("return p[x % y];", "return p[(x % y + 0 * (x / y))];"),
    ("return pure(x % y);", "return pure((x % y + 0 * (x / y)));"),
    ("while (x % y) x--;", "while ((x % y + 0 * (x / y))) x--;"),
    ("return (x % y);", "return ((x % y + 0 * (x / y)));"),
    # constants: only -1 overflows, and a macro or an enumerator may be it
    ("return x % -1;", "return (x % -1 + 0 * (x / -1));"),
    ("return x % ~0;", "return (x % ~0 + 0 * (x / ~0));"),
    ("return x % (1 - 2);", "return (x % (1 - 2) + 0 * (x / (1 - 2)));"),
    ("return x % (int)0xffffffff;", "return (x % (int)0xffffffff + 0 * (x / (int)0xffffffff));"),
    ("return x % MINUS;", "return (x % MINUS + 0 * (x / MINUS));"),
    ("return x % NEGATIVE;", "return (x % NEGATIVE + 0 * (x / NEGATIVE));"),
    ("return INT_MIN % y;", "return (INT_MIN % y + 0 * (INT_MIN / y));"),
    # nested: the copies are of what was given
    (
        "return x % y % s;",
        "return ((x % y + 0 * (x / y)) % s + 0 * (x % y / s));",
    ),
    (
        "return x % (y % s);",
        "return (x % ((y % s + 0 * (y / s))) + 0 * (x / (y % s)));",
    ),
    (
        "return p[x % y] % s % 7 % y;",
        "return ((p[(x % y + 0 * (x / y))] % s + 0 * (p[x % y] / s)) % 7 % y"
        " + 0 * (p[x % y] % s % 7 / y));",
    ),
    # compound
    ("x %= y;", "x = x % (y) + 0 * (x / (y));"),
    ("x %= y + 1;", "x = x % (y + 1) + 0 * (x / (y + 1));"),
    ("x %= s ? y : s;", "x = x % (s ? y : s) + 0 * (x / (s ? y : s));"),
    ("x %= -1;", "x = x % (-1) + 0 * (x / (-1));"),
    ("*p %= *p;", "*p = *p % (*p) + 0 * (*p / (*p));"),
    ("s = x %= y;", "s = x = x % (y) + 0 * (x / (y));"),
    ("return (x %= y) + 1;", "return (x = x % (y) + 0 * (x / (y))) + 1;"),
    ("for (; s; x %= y, s--) { }", "for (; s; x = x % (y) + 0 * (x / (y)), s--) { }"),
    ("x %= x % y;", "x = x % ((x % y + 0 * (x / y))) + 0 * (x / (x % y));"),
    (
        "p[x % y] %= q->x;",
        "p[(x % y + 0 * (x / y))] = p[x % y] % (q->x) + 0 * (p[x % y] / (q->x));",
    ),
    # macros of the task
    ("return x % STEP;", "return (x % STEP + 0 * (x / STEP));"),
    ("return STEP % PLUS(x);", "return (STEP % PLUS(x) + 0 * (STEP / PLUS(x)));"),
    ("return (x + N) % (y + N);", "return ((x + N) % (y + N) + 0 * ((x + N) / (y + N)));"),
    ("return N % y;", "return (N % y + 0 * (N / y));"),
    ("return TWICE(x % y);", "return TWICE((x % y + 0 * (x / y)));"),
    ("return SAME(x % y);", "return SAME((x % y + 0 * (x / y)));"),
    (
        "return PLUS(x % y) % PLUS(PLUS(y));",
        "return (PLUS((x % y + 0 * (x / y))) % PLUS(PLUS(y)) + 0 * (PLUS(x % y) / PLUS(PLUS(y))));",
    ),
    ("STEP %= PLUS(y);", "STEP = STEP % (PLUS(y)) + 0 * (STEP / (PLUS(y)));"),
]


@pytest.mark.parametrize(("given_", "expected"), REWRITTEN, ids=[row[0] for row in REWRITTEN])
def test_the_quotient_is_asked_about(given_, expected):
    assert lex(judged(given_).body) == lex(expected)


@pytest.mark.parametrize(
    "body",
    [
        "return x % 2;",
        "return x++ % 10 + store(p) % 3;",
        "return x % N + x % (N - 9);",
        "return x % 'a' + x % 10u + x % 4294967295 + x % 4294967295u;",
        "return x % -2 + x % (int)7;",
        "x %= 10; p[x++] %= N; return x;",
        "return HALF(x) + MOD(x, 3) + MOD(s++, N);",
        "return x / y;",
        "//@ assert x % y == x - x / y * y;\nreturn 0;",
        "return 7 % 3;",
    ],
)
def test_constants_and_annotations_are_left_alone(body):
    made = judged(body)
    assert lex(made.body) == lex(body)


REFUSED = [
    ("return x++ % y;", "`%`"),
    ("return x % --y;", "`%`"),
    ("return (x = 3) % y;", "`%`"),
    ("return x % (y %= s);", "`%`"),
    ("return x++ % -1;", "`%`"),
    ("return store(p) % y;", "`%`"),
    ("return x % (s ? store(p) : y);", "`%`"),
    ("return target(x, y - 1, s, p, q, u) % y;", "`%`"),
    ("p[x++] %= y;", "`%=`"),
    ("x %= y++;", "`%=`"),
    ("x %= store(p);", "`%=`"),
    ("s = y % x++ % s;", "`%`"),
    ("return MOD(x, y);", "`MOD`"),
    ("return MOD(x, -1);", "`MOD`"),
    ("return PLUS(MOD(x, y));", "`MOD`"),
    ("return x % SAME(y);", "macro"),
    ("return SAME(x) % y;", "macro"),
    ("return x % SUM;", "macro"),
    ("return SUM % y;", "macro"),
    ("return NEG(x % y);", "macro"),
    ("return NEG(x * x % y);", "macro"),
    ("x %= SAME(y);", "macro"),
]


@pytest.mark.parametrize(("body", "named"), REFUSED, ids=[row[0] for row in REFUSED])
def test_what_cannot_be_asked_is_refused(body, named):
    result = refused(body)
    assert result.reason is Reason.FORBIDDEN_CONSTRUCT
    assert named in result.message
    assert "constant" in result.message


def test_a_refusal_points_at_the_operator():
    assert (refused("x = 1;\nreturn y +\n  x++ % y;").line, refused("x %= y++;").column) == (3, 3)
    assert refused("return\n MOD(x, y);").line == 2


def test_copies_are_limited():
    longest = next(n for n in range(200) if n * (n + 2) > MAX_COPIED)  # 3 + 5 + … tokens
    assert judged("return x" + " % y" * (longest - 2) + ";").body
    result = refused("return x" + " % y" * 500 + ";")
    assert result.reason is Reason.BODY_TOO_LARGE
    assert "locals" in result.message


def test_macros_mean_the_same_after():
    """Rewriting and expanding may change places: what gcc reads is what was read here."""
    macros = TASK.names.macros
    for body, expected in REWRITTEN:
        assert expand(lex(judged(body).body), macros) == expand(lex(expected), macros)


def test_line_map():
    body = "int r = x\n  %\n  y;\nreturn p[r\n% s] +\n (x %=\n y);"
    made = judged(body)
    lines = made.text.splitlines()
    for number, line in made.line_map.items():
        found, wanted = lines[number - 1], body.splitlines()[line - 1]
        assert found.strip(" (")[0] == wanted.strip(" (")[0]
    assert sorted(made.line_map.values()) == [1, 2, 3, 4, 5, 6, 7]
    # the quotient stands where its remainder ends
    asked = [number for number, text in enumerate(lines, 1) if "0 *" in text]
    assert [made.submission_line(number) for number in asked] == [3, 5, 7]


def test_new_tokens_have_a_place():
    tokens = lex("a = x\n % y; b\n%= c;")
    made = ask(tokens, (Remainder(2, 3, 5), Remainder(6, 7, 9)))
    assert {(token.line, token.column) for token in made} == {
        (token.line, token.column) for token in tokens
    }


def test_nothing_found_nothing_changed():
    tokens = lex("return x + y; /*@ assert x % y == 0; */")
    assert ask(tokens, ()) == tokens
    assert in_body((), tokens, tokens, {}) == ()


OPERANDS = st.recursive(
    st.sampled_from(["x", "-y", "*p", "q->x", "N", "STEP", "PLUS(x)", "(char)s", "7", "-1"]),
    lambda inner: st.one_of(
        st.tuples(inner, st.sampled_from("+-*/%"), inner).map(lambda t: f"({t[0]} {t[1]} {t[2]})"),
        st.tuples(inner, inner).map(lambda t: f"{t[0]} % {t[1]}"),
        inner.map(lambda e: f"PLUS({e})"),
        inner.map(lambda e: f"p[{e}]"),
    ),
    max_leaves=8,
)


@settings(max_examples=150, deadline=None)
@given(OPERANDS)
def test_taking_the_questions_out_gives_the_body_back(expression):
    result = check(TASK, f"s = {expression};")
    if isinstance(result, Refusal):
        return  # `1 % 0` and the like
    macros = TASK.names.macros
    made = expand(lex(result.body), macros)
    assert without_questions(made) == expand(lex(f"s = {expression};"), macros)


def without_questions(tokens):
    """Undo `( … + 0 * ( … ) )`: the bracket before, and all from `+ 0 *` on, go."""
    tokens = list(tokens)
    texts = [token.text for token in tokens]
    while (at := find(texts, ["+", "0", "*", "("])) is not None:
        depth, start = 0, at - 1
        while depth or texts[start] != "(":
            depth += (texts[start] in ")]") - (texts[start] in "([")
            start -= 1
        depth, end = 1, at + 4
        while depth:
            depth += (texts[end] == "(") - (texts[end] == ")")
            end += 1
        assert texts[end] == ")"
        del tokens[at : end + 1], tokens[start]
        texts = [token.text for token in tokens]
    return tokens


def find(texts, wanted):
    """Where `wanted` first stands in `texts`."""
    return next((i for i in range(len(texts)) if texts[i : i + len(wanted)] == wanted), None)


# --- values thrown away, which Frama-C drops before RTE can ask


@pytest.mark.parametrize(
    "body",
    [
        "x % y;",
        "(void)(x / y);",
        "int r = (x / y, 3);",
        "x / y + s++;",
        "s ? x++ : x / y;",
        "x / y ? 1 : 2;",
        "x / y ? (void)x : (void)y;",
        "for (x / y; s; s--) { }",
        "for (; s; x / y) { s--; }",
        "x == x / y;",
        "s++, p[x];",
        "!x++;",
        "*p++;",
        "x && y;",
        "-x;",
        "&p[x];",
    ],
)
def test_a_value_thrown_away_is_refused(body):
    result = refused(body)
    assert result.reason is Reason.FORBIDDEN_CONSTRUCT
    assert "thrown away" in result.message


@pytest.mark.parametrize(
    "body",
    [
        "(void)x; (void)p; x; 0; (void)0;",
        "store(p); (void)store(p); (int)store(p); pure(x);",
        "x++; --x; (x = 1); *p = 2; x += 1, y = 3;",
        "s ? x++ : y++; s ? x++ : 0; s ? (void)0 : (void)x++; x / y && x++; x || store(p);",
        "for (s; s; s--, x++) { } for (;;) { }",
        "int r = (x++, x / y); return (s--, r);",
        "p++; q->x++; (*p)++;",
    ],
)
def test_effects_and_names_may_stand_alone(body):
    assert judged(body)
