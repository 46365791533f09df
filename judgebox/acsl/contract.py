"""Integrity: from a candidate's code to the text that is judged, or a refusal.

What is judged is the task's own text with the candidate's body re-printed from its tokens, the
quotient asked about wherever a remainder is taken (`judgebox.acsl.remainders`); the candidate's
file itself reaches neither Frama-C nor gcc.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NoReturn

from judgebox.acsl.body_rules import Rules, check_body
from judgebox.acsl.clauses import is_contract
from judgebox.acsl.context import TaskText
from judgebox.acsl.refusal import Refusal, RefusedError, refuse
from judgebox.acsl.remainders import ask
from judgebox.acsl.reprint import reprint
from judgebox.acsl.tokens import Kind, LexError, Token, lex
from judgebox.acsl.units import Unit, partners, units
from judgebox.verdict import Reason

__all__ = ["JudgedText", "Refusal", "TaskText", "check"]

MAX_CODE = 100_000
"""Characters of code that are looked at; 4,000 tokens with generous comments are far below."""


@dataclass(frozen=True, slots=True)
class JudgedText:
    """The text that Frama-C and the compiler get."""

    text: str
    body: str
    """The re-printed body without its braces."""
    line_map: Mapping[int, int]
    """Line of `text` → line of the submitted code, for the lines of the body."""
    form: str
    """What the submission held: `file`, `function` or `body`."""
    initialised: bool
    """Every local has a value before it can be read, by rule; if not, `-rte-initialized` it."""
    name: str
    """The target function."""

    def submission_line(self, line: int) -> int | None:
        """The submitted code's line for a line of `text`; None for the task's own lines."""
        return self.line_map.get(line)


def check(
    task: TaskText,
    code: str,
    *,
    allowed_calls: frozenset[str] | None = None,
    allow_ghost: bool = False,
    allow_goto: bool = False,
) -> JudgedText | Refusal:
    """Hold `code` (a whole file, the one function, or a bare body) against the task.

    `allowed_calls` are the functions that the body may call; None means every function that the
    task's text declares or defines.  Never raises on any `code`.
    """
    calls = task.names.functions if allowed_calls is None else allowed_calls
    rules = Rules(task, frozenset(calls) - {task.name}, ghost=allow_ghost, goto=allow_goto)
    try:
        form, body = _body(task, code)
        facts = check_body(body, rules)
        judged = ask(body, facts.remainders)
        printed = reprint(judged)
        if lex(printed.text) != judged:  # never seen; if it happens, nothing is judged
            refuse(Reason.FORBIDDEN_CONSTRUCT, "the body cannot be re-printed from its tokens")
    except LexError as error:
        return RefusedError.of(error).refusal
    except RefusedError as refused:
        return refused.refusal
    first = task.body_line + 1
    return JudgedText(
        text=task.with_body("\n" + printed.text),
        body=printed.text,
        line_map={first + number: line for number, line in enumerate(printed.origins)},
        form=form,
        initialised=facts.initialised,
        name=task.name,
    )


def _body(task: TaskText, code: str) -> tuple[str, Sequence[Token]]:
    """The form of the submission and its body's tokens, braces excluded."""
    if len(code) > MAX_CODE:
        refuse(Reason.BODY_TOO_LARGE, f"more than {MAX_CODE} characters of code")
    tokens = lex(code.removeprefix("\ufeff"))
    if not tokens:
        refuse(Reason.EMPTY_REPLY, "there is no code: comments and white space only")
    pairs = partners(tokens)
    found = units(tokens, pairs)
    functions = [unit for unit in found if unit.kind == "function" and unit.name is not None]
    if not functions:
        if tokens[0].text == "{" and pairs[0] == len(tokens) - 1:
            return "body", tokens[1:-1]
        return "body", tokens
    target = _only_target(task, tokens, functions)
    before, after = tokens[: target.opening + 1], tokens[target.last - 1 :]
    body = tokens[target.opening + 1 : target.last - 1]
    if after == list(task.after) and before in [list(form) for form in task.before]:
        return "file", body
    signature = tokens[target.first : target.opening]
    if signature != list(task.signature):
        at = _first_difference(signature, task.signature)
        expected = " ".join(token.text for token in task.signature)
        where = signature[min(at, len(signature) - 1)]
        refuse(Reason.CONTRACT_CHANGED, f"the signature must be `{expected}`", where)
    annotation = tokens[target.first - 1] if target.first else None
    given = annotation is not None and is_contract(annotation.inner)
    if annotation is not None and given and annotation not in task.contracts:
        _contract_changed(task, annotation)
    if target.first > given:
        _context_changed(task, before, after)
    if len(after) > 1:
        _differs(task, after, task.after)
    return "function", body


def _only_target(task: TaskText, tokens: Sequence[Token], functions: Sequence[Unit]) -> Unit:
    targets = [unit for unit in functions if unit.name == task.name]
    if not targets:
        message = f"the code defines `{functions[-1].name}` but not `{task.name}`"
        refuse(Reason.TARGET_MISSING, message, tokens[functions[-1].first])
    if len(targets) > 1:
        message = f"`{task.name}` is defined more than once"
        refuse(Reason.TARGET_REPEATED, message, tokens[targets[1].first])
    return targets[0]


def _first_difference(found: Sequence[Token], expected: Sequence[Token]) -> int:
    """Index of the first token that differs; the shorter length if one begins the other."""
    pairs = zip(found, expected, strict=False)
    length = min(len(found), len(expected))
    return next((i for i, (one, other) in enumerate(pairs) if one != other), length)


def _contract_changed(task: TaskText, found: Token) -> NoReturn:
    expected = max(task.contracts, key=lambda form: _first_difference(found.inner, form.inner))
    at = _first_difference(found.inner, expected.inner)
    shown = f"`{found.inner[at].text}`" if at < len(found.inner) else "its end"
    wanted = f"`{expected.inner[at].text}`" if at < len(expected.inner) else "its end"
    where = found.inner[at] if at < len(found.inner) else found
    message = f"the contract of `{task.name}` was changed: {shown} stands where the task has"
    refuse(Reason.CONTRACT_CHANGED, f"{message} {wanted}", where)


def _context_changed(task: TaskText, before: Sequence[Token], after: Sequence[Token]) -> NoReturn:
    form = max(task.before, key=lambda form: _first_difference(before, form))
    if list(before) == list(form):
        _differs(task, after, task.after)
    _differs(task, before, form)


def _differs(task: TaskText, found: Sequence[Token], expected: Sequence[Token]) -> NoReturn:
    at = _first_difference(found, expected)
    shown = _show(found[at]) if at < len(found) else "the end of the code"
    wanted = _show(expected[at]) if at < len(expected) else "nothing more"
    lost = expected[at : at + 1] == task.contracts[:1] and task.contracts[0] not in found
    reason = Reason.CONTRACT_CHANGED if lost and found[at:] else Reason.CONTEXT_CHANGED
    message = (
        f"outside the body of `{task.name}` the code must be the task's, or be left out whole:"
        f" {shown} stands where the task has {wanted}"
    )
    refuse(reason, message, found[min(at, len(found) - 1)])


def _show(token: Token) -> str:
    text = " ".join(inner.text for inner in token.inner[:6])
    shown = f"/*@ {text} … */" if token.kind is Kind.ANNOTATION else token.text
    return f"`{shown[:60]}`"
