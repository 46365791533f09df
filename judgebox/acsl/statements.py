"""Statements of a body (C11 6.8): shape, declarations, and which locals have a value by rule."""

from __future__ import annotations

from collections.abc import Sequence

from judgebox.acsl.annotations import check_annotation
from judgebox.acsl.expressions import MAX_ELEMENTS, Expressions
from judgebox.acsl.refusal import refuse
from judgebox.acsl.scope import Scope, Variable
from judgebox.acsl.tokens import Kind, Token
from judgebox.verdict import Reason


class Body(Expressions):
    """Reads a whole body.  `initialised` says whether every local gets a value by rule.

    The rule: a local gets its value where it is declared, or the next statement of the same block
    that names it begins by plainly assigning to it (a `for` may do so in its first clause).
    """

    def __init__(
        self, tokens: Sequence[Token], scope: Scope, *, ghost: bool = False, goto: bool = False
    ) -> None:
        super().__init__(tokens, scope)
        self.initialised = True
        self._ghost = ghost
        self._goto = goto
        self._elements = 0

    def read(self) -> None:
        """Read to the end."""
        self._items(stop=None, switch=False)

    # --- blocks

    def _items(self, *, stop: str | None, switch: bool) -> None:
        """The declarations and statements of a block, and its `}`."""
        waiting: set[str] = set()  # declared in this block, no value yet
        while True:
            if stop is None and self.position >= len(self.tokens):
                break
            if stop is not None and self.accept(stop):
                break
            first = self.position
            self._annotations()
            if self.token.text == "}" or self.position >= len(self.tokens):
                continue
            fresh: set[str] = set()
            if self.scope.begins_type(self.token):
                if switch:
                    message = "no declaration directly in a switch: put it before, or in a block"
                    refuse(Reason.FORBIDDEN_CONSTRUCT, message, self.token)
                fresh = self.declaration()
            elif switch and self.token.text in ("case", "default"):
                self._case()
            else:
                self.statement()
            waiting = self._still_waiting(waiting, self.tokens[first : self.position]) | fresh

    def _block(self, *, switch: bool = False) -> None:
        self.expect("{", "before a block")
        self.scope.enter()
        self._items(stop="}", switch=switch)
        self.scope.leave()

    def _annotations(self) -> None:
        """Annotations before a statement; those of loops must stand right before a loop."""
        loop: Token | None = None
        while self.token.kind is Kind.ANNOTATION:
            token = self.take()
            if check_annotation(token, allow_ghost=self._ghost) == "loop":
                loop = token
        if loop is not None and self.token.text not in ("for", "while", "do"):
            message = "a loop annotation must stand right before `for`, `while` or `do`"
            refuse(Reason.FORBIDDEN_ANNOTATION, message, loop)

    def _case(self) -> None:
        if self.take().text == "case":
            at = self.token
            if not self._conditional().fixed:
                refuse(Reason.FORBIDDEN_CONSTRUCT, "a case label must be a constant", at)
        self.expect(":", "after a case label")

    # --- statements

    def statement(self) -> None:
        """One statement, with the annotations before it."""
        self.deeper()
        while True:  # `else if` chains go round here instead of deeper
            self._annotations()
            text = self.token.text if self.token.kind in (Kind.NAME, Kind.PUNCT) else ""
            if text != "if":
                self._other(text)
                break
            self.take()
            self._condition()
            self.statement()
            if not self.accept("else"):
                break
        self.shallower()

    def _condition(self) -> None:
        self.expect("(", "before a condition")
        self.expression()
        self.expect(")", "after a condition")

    def _other(self, text: str) -> None:
        if text == "{":
            self._block()
        elif text == ";":
            self.take()
        elif text == "while":
            self.take()
            self._condition()
            self.statement()
        elif text == "do":
            self.take()
            self.statement()
            self.expect("while", "after the body of `do`")
            self._condition()
            self.expect(";", "after `do … while (…)`")
        elif text == "for":
            self._for()
        elif text == "switch":
            self.take()
            self._condition()
            self._block(switch=True)
        elif text in ("break", "continue"):
            self.take()
            self.expect(";", f"after `{text}`")
        elif text == "return":
            self.take()
            if not self.accept(";"):
                self.expression()
                self.expect(";", "after `return`")
        elif text == "goto":
            self._goto_label()
        elif text in ("case", "default"):
            message = "a case label must stand directly in its switch's block"
            refuse(Reason.FORBIDDEN_CONSTRUCT, message, self.token)
        elif self.token.kind is Kind.NAME and self.ahead() == ":":
            self._label()
        elif self.scope.begins_type(self.token):
            self.unreadable("a declaration needs a block around it")
        else:
            self.discarded()
            self.expect(";", "after a statement")

    def _goto_label(self) -> None:
        self.take()
        if self.take().kind is not Kind.NAME:
            refuse(Reason.FORBIDDEN_CONSTRUCT, "goto wants a label", self.token)
        self.initialised = False  # a jump may pass over any assignment
        self.expect(";", "after `goto`")

    def _label(self) -> None:
        if not self._goto:
            refuse(Reason.FORBIDDEN_CONSTRUCT, "labels are not allowed", self.token)
        self.position += 2
        self.statement()

    def _for(self) -> None:
        self.take()
        self.expect("(", "after `for`")
        self.scope.enter()
        if self.scope.begins_type(self.token):
            if self.declaration():
                self.initialised = False
        elif not self.accept(";"):
            self.discarded()
            self.expect(";", "in `for`")
        if not self.accept(";"):
            self.expression()
            self.expect(";", "in `for`")
        if not self.accept(")"):
            self.discarded()
            self.expect(")", "after the clauses of `for`")
        self.statement()
        self.scope.leave()

    # --- declarations

    def declaration(self) -> set[str]:
        """One declaration and its `;`; the scalars that it leaves without a value."""
        words: list[str] = []
        first = self.token
        while self.scope.begins_type(self.token):
            token = self.take()
            if token.text == "struct":
                self.struct_tag()
            words.append(token.text)
        waiting: set[str] = set()
        while True:
            name = self._declarator(words, first, waiting)
            if name is not None:
                waiting.add(name)
            if self.accept(";"):
                return waiting
            self.expect(",", "or `;` after a declarator")

    def _declarator(self, words: list[str], first: Token, waiting: set[str]) -> str | None:
        """One declarator; its name if it is a scalar without a value."""
        stars = 0
        while self.token.text in ("*", "const"):
            stars += self.take().text == "*"
        token = self.token
        if token.text == "(":
            message = "declarators in parentheses are not allowed in the body"
            refuse(Reason.FORBIDDEN_CONSTRUCT, message, token)
        if token.kind is not Kind.NAME:
            self.unreadable("a name is missing in a declaration")
        if "void" in words and stars and not self.scope.task.names.void_pointers:
            message = "`void *` is not allowed: the task does not use it"
            refuse(Reason.FORBIDDEN_CONSTRUCT, message, first)
        self.take()
        if self.token.text == "(":
            message = f"the function `{token.text}` may not be declared or defined in the body"
            refuse(Reason.FORBIDDEN_CONSTRUCT, message, token)
        array, elements = False, 1
        while self.accept("["):
            array = True
            elements *= self.array_size() or 1
        self._elements += elements if array else 0
        if self._elements > MAX_ELEMENTS:
            message = f"more than {MAX_ELEMENTS} array elements in the body"
            refuse(Reason.FORBIDDEN_CONSTRUCT, message, token)
        pointer = stars > 0 or self.scope.is_pointer_type(words)
        self.scope.declare(token, Variable(pointer, array))  # in scope from here on (6.2.1p7)
        if not self.accept("="):
            if array:
                self.initialised = False
                return None
            return token.text
        before = self.position
        self.initialiser()
        named = {t.text for t in self.tokens[before : self.position]}
        if named & {token.text, *waiting}:
            self.initialised = False  # `int x = x;` or `int x, y = x;`
        return None

    # --- the rule of initialised locals

    def _still_waiting(self, waiting: set[str], item: Sequence[Token]) -> set[str]:
        """Those of `waiting` that `item` does not name; clears `initialised` if it must."""
        named = {
            part.text
            for token in item
            for part in (token, *token.inner)
            if part.kind is Kind.NAME and part.text in waiting
        }
        if named - _plainly_assigned(item, named):
            self.initialised = False
        return waiting - named


def _plainly_assigned(item: Sequence[Token], waiting: set[str]) -> set[str]:
    """Names that the item assigns before it can read them."""
    item = list(item)
    if any(part.text in waiting for token in item for part in token.inner):
        first = next((i for i, t in enumerate(item) if t.kind is not Kind.ANNOTATION), len(item))
        # A loop's annotation speaks of the time after the first clause of its `for`.
        if item[first : first + 1] and item[first].text != "for":
            return set()
    item = [token for token in item if token.kind is not Kind.ANNOTATION]
    texts = [token.text for token in item]
    start = 2 if texts[:2] == ["for", "("] else 0
    end = next((i for i in range(start, len(texts)) if texts[i] == ";"), len(texts))
    done: set[str] = set()
    index = start
    while index < end:
        chain: set[str] = set()
        while index + 1 < end and texts[index + 1] == "=" and texts[index] in waiting:
            chain.add(texts[index])
            index += 2
        stop, depth = index, 0
        while stop < end and (depth or texts[stop] != ","):
            depth += (texts[stop] in "([{") - (texts[stop] in ")]}")
            stop += 1
        if any(text in waiting - done for text in texts[index:stop]):
            break
        done |= chain
        index = stop + 1
    return done
