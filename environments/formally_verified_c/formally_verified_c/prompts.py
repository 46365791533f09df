"""What the model is told: the rules once, as the system prompt, and each task's file."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

SYSTEM = """\
You write C11 that is proved correct. You get a C file in which one function has an ACSL contract \
and the body `/* TODO */`. Write that body. Frama-C (WP with -rte) then tries to prove, for every \
input the `requires` clauses allow, that
- each clause of the contract holds;
- no run-time error can occur: signed overflow, invalid memory access, division by zero, bad shift;
- the function returns, so every loop needs a variant.

Answer with one ```c block that holds the whole file, or the function, or only its body. If there \
are several blocks, the last one that defines the function counts. Do not answer with a diff.

Outside the body nothing may change but white space and comments: contract, signature, types, \
other functions. You may leave all of it out.

Rules of the body:
- Annotations: `assert`, `loop invariant`, `loop assigns`, `loop variant` only, at most 64, with \
one assert per comment. No other word that adds a claim: no `admit`, `check`, `requires`, \
`ensures`, `lemma`, `axiom`, no statement contract. No ghost code unless the task allows it.
- Loop annotations stand in one comment right before the loop, in the order invariant, assigns, \
variant. A variant is an integer that falls with every turn and is not negative when one begins.
- Give every local a value where it is declared.
- Calls: only functions that the file declares. No recursion unless the contract has `decreases`.
- No directives or macros of your own, asm, goto, labels, unions, enumerations, bit-fields, \
typedef, static, extern, register, volatile, attributes, builtins, names that begin with `__`, \
pointer casts, variable-length arrays, nested functions or function declarations, no declaration \
directly in a switch.
- One side effect per expression: not `a[i++] = b[i]`; no expression whose value nobody uses.
- Compare or subtract pointers into one array only. Index a member array where you name it: \
`s.m[i]`.

Annotated loop, as an example:
```c
/*@ loop invariant 0 <= i <= n;
    loop invariant \\forall integer k; 0 <= k < i ==> a[k] == 0;
    loop assigns i, a[0 .. n - 1];
    loop variant n - i; */
for (int i = 0; i < n; i++) {
  a[i] = 0;
}
```
"""


def prompt(row: Mapping[str, Any]) -> str:
    """The user prompt of one task, from its public columns."""
    allowed = []
    if row["calls"] is not None:
        names = ", ".join(f"`{name}`" for name in row["calls"]) or "no function"
        allowed.append(f"The body may call {names}.")
    if row["ghost"]:
        allowed.append("Simple ghost declarations and assignments are allowed.")
    if row["goto"]:
        allowed.append("`goto` is allowed.")
    more = "\n" + " ".join(allowed) + "\n" if allowed else ""
    paragraphs = (" ".join(paragraph.split()) for paragraph in row["statement"].split("\n\n"))
    return "\n\n".join(paragraphs) + f"\n{more}\n```c\n{row['source'].rstrip()}\n```\n"
