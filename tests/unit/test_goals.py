"""WP's lines on each obligation; what is not of a known form is passed over."""

from __future__ import annotations

from judgebox.acsl.goals import read_goals
from judgebox.acsl.ledger import Entry, Split

LOG = rb"""[wp] Running WP plugin...
[wp] [CFG] Goal f_terminates : Valid (Trivial)
[wp] 3 goals scheduled
[wp] [Qed] Goal typed_f_loop_invariant_2_established : Valid (8ms)
[wp] [CVC4 1.8] Goal typed_f_loop_invariant_2_preserved : Step limit (Qed:40ms) (60000)
[wp] [CVC4 1.8] Goal typed_f_assert_rte_mem_access : Valid (Qed:16ms) (80ms) (17765)
[wp] [CVC4 1.8] Goal typed_other_ensures : Valid (80ms) (17765)
[wp] Proved goals:   2 / 3
CVC4 1.8:       12  (60ms-124ms-350ms) (35662) (interrupted: 2)
[wp] [Failed] Goal typed_f_loop_invariant_2_preserved
Z3 4.8.12: Unknown (Qed:22ms)
CVC4 1.8: Step limit (Qed:22ms) (60000)
no line of WP
"""
BODY = (
    Entry(".", "judged.c", 9, "f", "loop invariant", "Valid", "a"),
    Entry(".", "judged.c", 9, "f", "loop invariant", "Unknown", "b"),
    Entry(".", "judged.c", 12, "f", "mem_access", "Valid", "\\valid(p)"),
)


def test_each_part_has_its_answers_steps_and_place() -> None:
    goals = read_goals(LOG, Split((), BODY, (), ()), "f", lambda line: line - 5)
    found = {
        goal.name: (goal.kind, goal.proved, goal.steps, goal.property, goal.line) for goal in goals
    }
    assert found == {
        "assert_rte_mem_access": ("mem_access", True, 17765, "\\valid(p)", 7),
        "loop_invariant_2_established": ("loop invariant", True, 0, "b", 4),
        "loop_invariant_2_preserved": ("loop invariant", False, 60000, "b", 4),
        "terminates": ("terminates", True, 0, "", None),
    }
    preserved = next(goal for goal in goals if not goal.proved)
    assert preserved.answers == {"CVC4 1.8": "Step limit", "Z3 4.8.12": "Unknown"}


def test_the_order_of_the_lines_does_not_show() -> None:
    lines = LOG.splitlines(keepends=True)
    shuffled = b"".join([lines[0], *reversed(lines[1:6]), *lines[6:]])
    split = Split((), BODY, (), ())
    assert read_goals(shuffled, split, "f", lambda line: line) == read_goals(
        LOG, split, "f", lambda line: line
    )
