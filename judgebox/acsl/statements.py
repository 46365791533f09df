"""Statements of a body (C11 6.8): their shape, declarations, and how control flows."""

from __future__ import annotations

from collections.abc import Sequence

from judgebox.acsl.annotations import check_annotation
from judgebox.acsl.assignment import NONE, Branches, Unset, Variable
from judgebox.acsl.expressions import MAX_ELEMENTS, Expressions
from judgebox.acsl.refusal import refuse
from judgebox.acsl.scope import Scope
from judgebox.acsl.tokens import Kind, Token
from judgebox.verdict import Reason


class Body(Expressions):
    """Reads a whole body."""

    def __init__(
        self, tokens: Sequence[Token], scope: Scope, *, ghost: bool = False, goto: bool = False
    ) -> None:
        super().__init__(tokens, scope)
        self._ghost = ghost
        self._goto = goto
        self._jumps = False
        self._elements = 0

    @property
    def initialised(self) -> bool:
        """Whether no local is read before it has a value (`judgebox.acsl.assignment`)."""
        return self.flow.definite and not self._jumps  # a goto may pass over any assignment

    def read(self) -> None:
        """Read to the end."""
        self._items(stop=None, switch=False)
        self.scope.pointers.check()

    # --- blocks

    def _items(self, *, stop: str | None, switch: bool) -> None:
        """The declarations and statements of a block, and its `}`."""
        while True:
            if stop is None and self.position >= len(self.tokens):
                break
            if stop is not None and self.accept(stop):
                break
            self._annotations()
            if self.token.text == "}" or self.position >= len(self.tokens):
                continue
            if self.scope.begins_type(self.token):
                if switch:
                    message = "no declaration directly in a switch: put it before, or in a block"
                    refuse(Reason.FORBIDDEN_CONSTRUCT, message, self.token)
                self.declaration()
            elif switch and self.token.text in ("case", "default"):
                self._case()
            else:
                self.statement()

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
        word = self.take().text
        self.flow.label(word)
        if word == "case":
            at = self.token
            if not self._conditional().fixed:
                refuse(Reason.FORBIDDEN_CONSTRUCT, "a case label must be a constant", at)
        self.expect(":", "after a case label")

    # --- statements

    def statement(self) -> None:
        """One statement, with the annotations before it."""
        self.deeper()
        ends: Unset = NONE
        while True:  # `else if` chains go round here instead of deeper
            self._annotations()
            text = self.token.text if self.token.kind in (Kind.NAME, Kind.PUNCT) else ""
            if text != "if":
                self._other(text)
                break
            self.take()
            self.flow.unset, otherwise = self._condition()
            self.statement()
            ends |= self.flow.unset
            self.flow.unset = otherwise
            if not self.accept("else"):
                break
        self.flow.unset |= ends
        self.shallower()

    def _condition(self) -> Branches:
        self.expect("(", "before a condition")
        branches = self.branches(self.expression())
        self.expect(")", "after a condition")
        return branches

    def _other(self, text: str) -> None:
        if text == "{":
            self._block()
        elif text == ";":
            self.take()
        elif text == "while":
            self.take()
            self.flow.unset, end = self._condition()
            with self.flow.loop() as exits:
                self.statement()
            self.flow.unset = end | exits.broken
        elif text == "do":
            self._do()
        elif text == "for":
            self._for()
        elif text == "switch":
            self.take()
            self._condition()
            with self.flow.switch():
                self._block(switch=True)
        elif text in ("break", "continue"):
            self.take()
            self.flow.jump(text)
            self.expect(";", f"after `{text}`")
        elif text == "return":
            self.take()
            if not self.accept(";"):
                self.expression()
                self.expect(";", "after `return`")
            self.flow.jump("return")
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
        self._jumps = True
        self.expect(";", "after `goto`")

    def _label(self) -> None:
        if not self._goto:
            refuse(Reason.FORBIDDEN_CONSTRUCT, "labels are not allowed", self.token)
        self.position += 2
        self.statement()

    def _do(self) -> None:
        self.take()
        with self.flow.loop() as exits:
            self.statement()
        self.flow.unset |= exits.continued
        self.expect("while", "after the body of `do`")
        _, end = self._condition()
        self.flow.unset = end | exits.broken
        self.expect(";", "after `do … while (…)`")

    def _for(self) -> None:
        self.take()
        self.expect("(", "after `for`")
        self.scope.enter()
        if self.scope.begins_type(self.token):
            self.declaration()
        elif not self.accept(";"):
            self.discarded()
            self.expect(";", "in `for`")
        end = NONE  # without a condition, only `break` ends the loop
        if not self.accept(";"):
            self.flow.unset, end = self.branches(self.expression())
            self.expect(";", "in `for`")
        begin, mark = self.flow.unset, self.flow.mark()
        if not self.accept(")"):
            self.discarded()
            self.expect(")", "after the clauses of `for`")
        step = self.flow.since(mark)
        self.flow.unset = begin
        with self.flow.loop() as exits:
            self.statement()
        self.flow.unset |= exits.continued
        for variable in step:  # what the third clause reads, it reads after the body
            self.flow.read(variable)
        self.flow.unset = end | exits.broken
        self.scope.leave()

    # --- declarations

    def declaration(self) -> None:
        """One declaration and its `;`."""
        words: list[str] = []
        first = self.token
        while self.scope.begins_type(self.token):
            token = self.take()
            if token.text == "struct":
                self.struct_tag()
            words.append(token.text)
        self.no_array_type(words, first)
        while True:
            self._declarator(words, first)
            if self.accept(";"):
                return
            self.expect(",", "or `;` after a declarator")

    def _declarator(self, words: list[str], first: Token) -> None:
        """One declarator, with its initialiser if it has one."""
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
        dimensions, elements = 0, 1
        while self.accept("["):
            dimensions += 1
            elements *= self.array_size() or 1
        self._elements += elements if dimensions else 0
        if self._elements > MAX_ELEMENTS:
            message = f"more than {MAX_ELEMENTS} array elements in the body"
            refuse(Reason.FORBIDDEN_CONSTRUCT, message, token)
        variable = Variable(stars + self.scope.depth(words) + dimensions, dimensions > 0)
        self.scope.declare(token, variable)  # in scope from here on (6.2.1p7)
        self.flow.declare(variable)
        if self.accept("="):
            once = not (self._goto or self.flow.repeated)
            self.scope.pointers.begin(variable, self.initialiser().roots, once=once)
            self.flow.assign(variable)
