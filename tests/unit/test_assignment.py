"""Definite assignment: which bodies give each local a value on every path before it is read."""

from __future__ import annotations

from dataclasses import dataclass

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from judgebox.acsl.contract import JudgedText, TaskText, check

TASK = TaskText.parse(
    """\
#define SET(v) ((v) = 1)
#define SWAP(a, b) do { int t_; t_ = (a); (a) = (b); (b) = t_; } while (0)
typedef struct point { int x, y; } point;
struct cell { int value; struct cell *next; };
enum color { RED, GREEN };

/*@ assigns \\nothing; */
int pure(int v, int w);

/*@ assigns *a; */
int target(int *a, int x, point *p, struct cell *c) { /* TODO */ }
"""
)

ASSIGNED = [
    # declarations
    "int r = 1; return r;",
    "int r; return x;",
    "int a, b = (a = 3); return a + b;",
    "int r = (r = 1); return r;",
    "int k[2] = {1}; k[0] = 2; return k[1];",
    "int k[2]; return x;",
    "point q = {1}; return q.x + q.y;",
    "point q; q = *p; q.x = 1; return q.y;",
    "int r; int *q; q = a; r = *q; return r;",
    "int r; return (int)sizeof r + (int)sizeof(r = 1);",
    # straight on
    "int r; r = x; r = r + 1; r += 1; r++; return r;",
    "int r, s; r = s = x; return r + s;",
    "int r; (r) = x; return r;",
    "int r; x = (r = 1) + 1; return r;",
    "int r; return r = 1, r;",
    "int r; return pure(r = 1, x) + pure(x, 2);",
    "int r; SET(r); return r;",
    "int r = 1, s = 2; SWAP(r, s); return r;",
    "int r; r = 1; int *q = &r; return *q;",
    "int r; { r = 1; } return r;",
    "int r; { int r = 1; x = r; } return x;",
    "int r; r = 1; { int r; r = 2; x = r; } return r;",
    "int r; //@ assert r == r;\nr = 1; return r;",
    # choices
    "int r; if (x) r = 1; else r = 2; return r;",
    "int r; if (x) r = 1; else if (x > 1) r = 2; else { r = 3; } return r;",
    "int r; if (x) r = 1; else return 0; return r;",
    "int r; if (!x) return 0; r = 1; return r;",
    "int r; if (x && (r = a[0])) return r; return 0;",
    "int r; if (x || (r = a[0])) return 0; return r;",
    "int r; if (!(x && (r = a[0]))) return 0; return r;",
    "int r; if (!x || !(r = a[0])) return 0; else return r;",
    "int r; if ((r = x) && r > 1 || r < 0) return r; return r;",
    "int r; if (x > 1 && (x < 5 && (r = 1))) x = r; return x;",
    "int r; if ((x++, x && (r = 1))) return r; return 0;",
    "int r; return x ? (r = 1) : (r = 2), r;",
    "int r; return x ? (r = 1, r) : 0;",
    "int r; return (x && (r = a[0])) ? r : 0;",
    "int r; if (x ? (r = 1) : 0) return r; return 0;",
    "int r; if (1) r = 1; return r;",
    "int r; return x && (r = a[0]) && r > 1;",
    "int r; return x || !(r = a[0]) || r > 1;",
    "int r; if ((x || (r = a[0])) && x) return 0; return 1;",
    # switches
    "int r; switch (x) { case 0: r = 1; break; default: r = 2; } return r;",
    "int r; switch (x) { case 0: r = 1; break; case 1: return 0; default: r = 2; } return r;",
    "int r; switch (x) { default: x = 1; case 1: r = 2; } return r;",
    "int r; switch (x) { case RED: case GREEN: r = 1; break; default: return 0; } return r;",
    "int r; switch (r = x) { case 0: x = r; } return r;",
    "int r; while (x--) { switch (x) { case 0: continue; default: r = 1; } a[0] = r; } return 0;",
    # loops
    "int i; for (i = 0; i < x; i++) { } return i;",
    "int i; /*@ loop variant x - i; */ for (i = 0; i < x; i++) { } return i;",
    "int i, j; for (i = 0, j = x; i < j; i++) { } return i;",
    "for (int i; x > 0; x--) { } return x;",
    "int r; while (x--) { r = x; a[0] = r; } return x;",
    "int r; while ((r = x) > 0) { x--; a[0] = r; } return r;",
    "while (x--) { int r; if (x) r = 1; else r = 2; a[0] = r; } return 0;",
    "int r; do { r = x--; } while (r > 0); return r;",
    "int r; do { r = x; if (x) continue; x--; } while (r > 0); return r;",
    "int r; while (1) { r = 1; if (x) break; } return r;",
    "int r; for (;;) { if (x) { r = 1; break; } x++; } return r;",
    "int r; while (1) { } return r;",
    "int s; for (int i = 0; i < x; i += s) { s = 1; } return 0;",
    "int s; for (int i = 0; i < x; i += s) { if (x) { s = 1; continue; } s = 2; } return 0;",
    "struct cell *next; for (; c; c = next) { next = c->next; } return 0;",
    # nothing runs there
    "int r; return x; x = r;",
    "int r; while (x) { break; x = r; } return 0;",
    "int r; if (0) x = r; return x;",
    "int r; switch (x) { x = r; case 1: return 1; } return 0;",
]

UNSURE = [
    # declarations
    "int r; return r;",
    "int r = r; return r;",
    "int r, s = r; return s;",
    "int r = x, s; return s;",
    "int r, s = 1, t = r + s; return t;",
    "int k[2]; k[0] = 1; return k[0];",
    "int k[2] = {1, k[0]}; return k[1];",
    "int k[2]; int *q = k; return *q;",
    "point q; q.x = 1; q.y = 2; return q.x;",
    "point q; point *s = &q; s->x = 1; return s->x;",
    "point q; *p = q; return 0;",
    "int r; *a = (int)sizeof(r = 1); return r;",
    # straight on
    "int r; r = r + 1; return r;",
    "int r; r += 1; return r;",
    "int r; r++; return r;",
    "int r; --r; return 0;",
    "int r; (void)r; return 0;",
    "int r; r; return 0;",
    "int r, s; s = r; r = 1; return s;",
    "int r; int *q = &r; r = 1; return *q;",
    "int r; *&r = 1; return r;",
    "int *q; *q = 1; return 0;",
    "int *q; return q[0];",
    "struct cell *d; return d->value;",
    "int i; a[i] = 1; return 0;",
    "int r; return pure(r, 1);",
    "int r, s = 1; SWAP(s, r); return s;",
    "int r; { int r = 1; x = r; } return r;",
    "int r = 1; { int r; x = r; } return r;",
    "int r; { int r; r = 1; } return r;",
    "int r; return (x++, r);",
    # choices
    "int r; if (x) r = 1; return r;",
    "int r; if (x) r = 1; else if (x > 1) r = 2; return r;",
    "int r; if (x) r = 1; if (!x) r = 2; return r;",
    "int r; if (x) return 0; else x = 1; return r;",
    "int r; if (x && (r = a[0])) return 0; return r;",
    "int r; if (x || (r = a[0])) return r; return 0;",
    "int r; if (!(x && (r = a[0]))) return r; return 0;",
    "int r; x = x && (r = 1); return r;",
    "int r; x && (r = 1); if (x) return r; return 0;",
    "int r; return x ? (r = 1) : 0, r;",
    "int r; return x ? 1 : r;",
    "int r; if (x ? (r = 1) : 1) return r; return 0;",
    "int r; if (0) r = 1; return r;",
    "int r; if (x) x = 1; else r = 2; return r;",
    "int r; if (x) x = 1; else if (x > 1) r = 1; else r = 2; return r;",
    "int r; return x && (r = a[0]) || r > 1;",
    "int r; return (x || (r = a[0])) && r > 1;",
    "int r; return x ? 0 : (r = 1), r;",
    # switches
    "int r; switch (x) { case 0: r = 1; } return r;",
    "int r; switch (x) { case 0: break; default: r = 2; } return r;",
    "int r; switch (x) { case 0: r = 1; case 1: x = r; } return 0;",
    "int r; switch (x) { r = 1; case 0: return r; } return 0;",
    "int r; switch (x) { default: if (x) break; r = 1; } return r;",
    "int r; switch (x) { case 0: r = 1; break; default: { while (x) break; } } return r;",
    "int r; do { switch (x) { case 0: continue; default: r = 1; } } while (r); return 0;",
    # loops
    "int i; while (x) { i = 1; x--; } return i;",
    "int i; for (x = i; x > 0; x--) { } return 0;",
    "int i; for (; i < x; i++) { } return 0;",
    "for (int i; i < x; i++) { } return 0;",
    "int i; for (; x > 0; i++) { x--; } return 0;",
    "int r; while (x--) { if (x) a[0] = r; r = 1; } return 0;",
    "while (x--) { int r; if (x) r = 1; a[0] = r; } return 0;",
    "int r; do { if (x) continue; r = 1; } while (r); return 0;",
    "int r; do { if (x) break; r = 1; } while (x); return r;",
    "int r; while (1) { if (x) break; r = 1; } return r;",
    "int r; for (;;) { if (x) break; r = 1; } return r;",
    "int s; for (int i = 0; i < x; i += s) { if (x) continue; s = 1; } return 0;",
    "int s; for (int i = 0; i < x; s = 1) { i++; } return s;",
    "int s; for (int i = 0; i < x; s = 1) { i++; x -= s; } return 0;",
    "int s; for (int i = 0; i < x; i++) { s = 1; } return s;",
]


def initialised(body: str, *, goto: bool = False) -> bool:
    result = check(TASK, body, allow_goto=goto)
    assert isinstance(result, JudgedText), result
    return result.initialised


@pytest.mark.parametrize("body", ASSIGNED)
def test_every_read_is_assigned(body):
    assert initialised(body)


@pytest.mark.parametrize("body", UNSURE)
def test_a_read_may_come_first(body):
    assert not initialised(body)


def test_a_goto_leaves_it_to_the_proof():
    assert not initialised("int r = 1; if (x) goto end; r = 2; end: return r;", goto=True)
    assert initialised("int r; if (x) r = 1; else r = 2; end: return r;", goto=True)


# --- random bodies against every path through them

OVER, BREAK, CONTINUE, RETURN = "over", "break", "continue", "return"
State = frozenset[str]
"""The variables that have a value, on one path."""


@dataclass(frozen=True)
class Part:
    """A condition or a statement: its text (`{0}` … are its parts) and what it does."""

    kind: str
    text: str
    parts: tuple[Part, ...] = ()
    name: str = ""
    labels: tuple[str, ...] = ()

    def __str__(self) -> str:
        return self.text.format(*self.parts)


class Paths:
    """Follows a body along every path; `bad` once a path reads a variable without a value."""

    def __init__(self) -> None:
        self.bad = False

    def read(self, name: str, state: State) -> None:
        self.bad |= name not in state

    def decide(self, part: Part, state: State) -> set[tuple[bool, State]]:
        """Each way in which a condition may come out."""
        parts = part.parts
        if part.kind == "constant":
            return {(part.name == "1", state)}
        if part.kind == "input":
            return {(True, state), (False, state)}
        if part.kind == "read":
            self.read(part.name, state)
            return {(True, state), (False, state)}
        if part.kind == "set":
            return {(value, state | {part.name}) for value in (True, False)}
        first = self.decide(parts[0], state)
        if part.kind == "not":
            return {(not value, after) for value, after in first}
        if part.kind in ("and", "or"):
            stops = part.kind == "or"
            made = {(value, after) for value, after in first if value is stops}
            for value, after in first:
                made |= self.decide(parts[1], after) if value is not stops else set()
            return made
        assert part.kind == "choice"
        made = set()
        for value, after in first:
            made |= self.decide(parts[1 if value else 2], after)
        return made

    def run(self, part: Part, state: State) -> set[tuple[str, State]]:
        """Each way in which a statement may end."""
        return getattr(self, "_" + part.kind)(part, state)

    def _jump(self, part: Part, state: State) -> set[tuple[str, State]]:
        return {(part.name, state)}

    def _set(self, part: Part, state: State) -> set[tuple[str, State]]:
        return {(OVER, state | {part.name})}

    def _copy(self, part: Part, state: State) -> set[tuple[str, State]]:
        self.read("ab"[part.name == "a"], state)
        return self._set(part, state)

    def _step(self, part: Part, state: State) -> set[tuple[str, State]]:
        self.read(part.name, state)
        return {(OVER, state)}

    def _evaluate(self, part: Part, state: State) -> set[tuple[str, State]]:
        return {(OVER, after) for _, after in self.decide(part.parts[0], state)}

    def _row(self, part: Part, state: State) -> set[tuple[str, State]]:
        made = {(OVER, state)}
        for one in part.parts:
            ends = {end for end in made if end[0] != OVER}
            for word, after in made:
                ends |= self.run(one, after) if word == OVER else set()
            made = ends
        return made

    def _hide(self, part: Part, state: State) -> set[tuple[str, State]]:
        """A block with a variable of its own."""
        name = frozenset({part.name})
        return {
            (word, (after - name) | (state & name))
            for word, after in self.run(part.parts[0], state - name)
        }

    def _if(self, part: Part, state: State) -> set[tuple[str, State]]:
        made = set()
        for value, after in self.decide(part.parts[0], state):
            made |= self.run(part.parts[1 if value else 2], after)
        return made

    def _loop(self, part: Part, state: State) -> set[tuple[str, State]]:
        """`while`, `do` and `for`: condition, body, third clause."""
        condition, body, third = part.parts
        made: set[tuple[str, State]] = set()
        seen: set[tuple[bool, State]] = set()
        todo = [(part.name != "do", state)]
        while todo:
            asks, now = todo.pop()
            if (asks, now) in seen:
                continue
            seen.add((asks, now))
            if asks:
                for value, after in self.decide(condition, now):
                    if value:
                        todo.append((False, after))
                    else:
                        made.add((OVER, after))
                continue
            for word, after in self.run(body, now):
                if word in (OVER, CONTINUE):
                    todo += [(True, last) for _, last in self.run(third, after)]
                else:
                    made.add((OVER if word == BREAK else word, after))
        return made

    def _switch(self, part: Part, state: State) -> set[tuple[str, State]]:
        subject, *cases = part.parts
        made: set[tuple[str, State]] = set()
        for _, after in self.decide(subject, state):
            for index in range(len(cases)):
                made |= self.run(Part("row", "", tuple(cases[index:])), after)
            if "default" not in part.labels:
                made.add((OVER, after))
        return {(OVER if word == BREAK else word, after) for word, after in made}


NAMES = st.sampled_from("ab")
CONDITIONS = st.recursive(
    st.one_of(
        st.sampled_from([Part("constant", "0", name="0"), Part("constant", "1", name="1")]),
        st.just(Part("input", "x")),
        NAMES.map(lambda n: Part("read", n, name=n)),
        NAMES.map(lambda n: Part("set", f"({n} = x)", name=n)),
    ),
    lambda inner: st.one_of(
        inner.map(lambda c: Part("not", "!({0})", (c,))),
        st.tuples(inner, inner).map(lambda c: Part("and", "({0}) && ({1})", c)),
        st.tuples(inner, inner).map(lambda c: Part("or", "({0}) || ({1})", c)),
        st.tuples(inner, inner).map(lambda c: Part("and", "{0} && {1}", c))
        .filter(lambda c: all(part.kind in ("read", "set", "input") for part in c.parts)),
        st.tuples(inner, inner, inner).map(lambda c: Part("choice", "(({0}) ? ({1}) : ({2}))", c)),
    ),
    max_leaves=4,
)  # fmt: skip
SIMPLE = st.one_of(
    NAMES.map(lambda n: Part("set", f"{n} = x", name=n)),
    NAMES.map(lambda n: Part("copy", f"{n} = {'ab'[n == 'a']}", name=n)),
    NAMES.map(lambda n: Part("step", f"{n}++", name=n)),
    CONDITIONS.map(lambda c: Part("evaluate", "x = ({0})", (c,))),
)
JUMPS = st.sampled_from(
    [
        Part("jump", "break;", name=BREAK),
        Part("jump", "continue;", name=CONTINUE),
        Part("jump", "return 0;", name=RETURN),
    ]
)


def _row(parts: list[Part]) -> Part:
    return Part("row", " ".join(f"{{{i}}}" for i in range(len(parts))), tuple(parts))


def _switch(subject: Part, cases: list[Part], default: int) -> Part:
    labels = tuple("default" if i == default else f"case {i}" for i in range(len(cases)))
    text = " ".join(f"{label}: {{{i + 1}}}" for i, label in enumerate(labels))
    return Part("switch", f"switch ({{0}}) {{{{ {text} }}}}", (subject, *cases), labels=labels)


def _loop(form: str, condition: Part, body: Part, third: Part) -> Part:
    text = {
        "while": "while ({0}) {{ {1} }}",
        "do": "do {{ {1} }} while ({0});",
        "for": "for (; {0}; {2}) {{ {1} }}",
    }[form]
    nothing = _row([])
    return Part("loop", text, (condition, body, third if form == "for" else nothing), name=form)


def _statements(inner: st.SearchStrategy[Part]) -> st.SearchStrategy[Part]:
    rows = st.lists(inner, max_size=4).map(_row)
    forms = st.sampled_from(["while", "do", "for"])
    return st.one_of(
        rows,
        st.tuples(NAMES, rows).map(
            lambda t: Part("hide", f"{{{{ int {t[0]}; {{0}} }}}}", (t[1],), name=t[0])
        ),
        st.tuples(CONDITIONS, rows, rows).map(
            lambda t: Part("if", "if ({0}) {{ {1} }} else {{ {2} }}", t)
        ),
        st.tuples(CONDITIONS, rows).map(
            lambda t: Part("if", "if ({0}) {{ {1} }}", (*t, _row([])))
        ),
        st.tuples(forms, CONDITIONS, rows, SIMPLE).map(lambda t: _loop(*t)),
        st.tuples(CONDITIONS, st.lists(rows, min_size=1, max_size=3), st.integers(0, 3)).map(
            lambda t: _switch(*t)
        ),
    )  # fmt: skip


STATEMENTS = st.recursive(
    st.one_of(SIMPLE.map(lambda s: Part("row", "{0};", (s,))), JUMPS), _statements, max_leaves=12
)


@settings(max_examples=400, deadline=None)
@given(st.lists(STATEMENTS, max_size=5).map(_row))
def test_random_bodies_against_every_path(body):
    """Equal but for blocks that nothing enters: what they declare counts as unset there."""
    paths = Paths()
    paths.run(body, frozenset())
    found = initialised(f"int a, b; {body} return 0;")
    if paths.bad:
        assert not found
    elif "{ int" not in str(body):
        assert found
