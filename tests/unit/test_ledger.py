"""Frama-C's reports are read fail-closed: what is not whole or not understood gives no credit."""

from __future__ import annotations

import contextlib
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from judgebox.acsl.framac import HARMLESS
from judgebox.acsl.ledger import (
    HEADER,
    Count,
    Entry,
    Place,
    ReportError,
    merge_stages,
    parse_ledger,
    parse_wp_report,
    split_ledger,
    unexpected_lines,
)


def row(
    line: int,
    kind: str = "postcondition",
    status: str = "Valid",
    prop: str = "\\true",
    function: str = "f",
) -> Entry:
    return Entry(".", "judged.c", line, function, kind, status, prop)


def csv(*entries: Entry) -> bytes:
    return "\n".join([HEADER, *("\t".join(map(str, entry)) for entry in entries), ""]).encode()


def wp(**goals: object) -> bytes:
    return json.dumps({"wp:functions": {"f": goals}}).encode()


def test_rows_come_back_as_printed() -> None:
    entries = (row(3, prop="\\result == x + 1"), row(9, "mem_access", "Partially proven"))
    assert parse_ledger(csv(*entries)) == entries


def test_a_property_may_hold_raw_newlines() -> None:
    entry = row(12, "complete behaviors", prop="complete\n b, c")
    assert parse_ledger(csv(entry, row(13))) == (entry, row(13))


@pytest.mark.parametrize(
    ("data", "why"),
    [
        (b"", "cut short"),
        (csv(row(1))[:-5], "cut short"),
        (b"\xff" + csv(row(1)), "UTF-8"),
        (b"line\n", "header"),
        (csv(row(1, status="Proved")), "unknown form"),
        (csv(row(1, status="Valid under hypotheses")), "unknown form"),
        ((HEADER + "\n.\tjudged.c\tone\tf\tpostcondition\tValid\t\\true\n").encode(), "unknown"),
        ((HEADER + "\n.\tjudged.c\t1\tf\tpostcondition\tValid\n").encode(), "unknown form"),
        ((HEADER + "\nno row before this line\n").encode(), "unknown form"),
    ],
)
def test_a_ledger_that_is_not_one_is_refused(data: bytes, why: str) -> None:
    with pytest.raises(ReportError, match=why):
        parse_ledger(data)


@given(st.binary(max_size=300))
def test_no_bytes_raise_anything_but_report_error(data: bytes) -> None:
    for read in (parse_ledger, lambda data: parse_wp_report(data, "f")):
        with contextlib.suppress(ReportError):
            read(data)


@given(st.binary(max_size=120), st.integers(0, 200))
def test_damage_to_a_ledger_never_adds_a_valid_row(junk: bytes, at: int) -> None:
    whole = csv(row(3, status="Unknown"), row(4, status="Partially proven"))
    damaged = whole[:at] + junk + whole[at:]
    try:
        entries = parse_ledger(damaged)
    except ReportError:
        return
    assert sum(entry.status == "Valid" for entry in entries) <= damaged.count(b"Valid")


TASK = (row(2, "termination clause"), row(3), row(3), row(8, function="helper"))
HERE = Place(5, 5)


def test_identical_clauses_are_counted() -> None:
    split = split_ledger((TASK[0], row(3), TASK[3]), TASK, "f", HERE, HERE)
    assert split.missing == (("postcondition", "\\true"),)
    assert not split.foreign


def test_rows_after_the_body_move_with_it() -> None:
    moved = row(11, function="helper")
    split = split_ledger((*TASK[:3], row(6, "mem_access"), moved), TASK, "f", Place(5, 8), HERE)
    assert (len(split.contract), len(split.body)) == (3, 1)
    assert not split.missing
    assert not split.foreign


@pytest.mark.parametrize(
    "extra",
    [
        row(3, prop="\\result == 0"),
        row(6),
        row(6, "user check"),
        row(6, "termination clause"),
        row(6, "of a kind nobody knows"),
        row(4, "mem_access"),
        row(9, "mem_access"),
        row(6, "mem_access", function="other"),
        row(6, "mem_access")._replace(directory="FRAMAC_SHARE/libc"),
    ],
)
def test_a_row_nobody_accounts_for_is_foreign(extra: Entry) -> None:
    split = split_ledger((*TASK, extra), TASK, "f", Place(5, 8), Place(5, 8))
    assert split.foreign == (extra,)


def test_a_baseline_row_whose_status_changed_is_foreign() -> None:
    changed = TASK[3]._replace(status="Unknown")
    split = split_ledger((*TASK[:3], changed), TASK, "f", HERE, HERE)
    assert split.foreign == (changed,)
    assert split.missing


def test_counts_of_the_target_are_read() -> None:
    data = wp(
        f_ensures={"wp:main": {"total": 2, "valid": 1}, "qed": {"total": 2, "valid": 1, "rank": 3}},
        **{"wp:section": {"wp:main": {"total": 2, "valid": 1}}},
    )
    assert parse_wp_report(data, "f") == {"f_ensures": Count(2, 1, cut_short=False)}


def test_z3_interrupted_means_that_seconds_ended_it() -> None:
    counts = {"total": 1, "interrupted": 1}
    for prover, cut_short in (("Z3:4.8.12", True), ("CVC4:1.8", False)):
        data = wp(f_ensures={"wp:main": counts, prover: counts})
        assert parse_wp_report(data, "f")["f_ensures"].cut_short is cut_short


@pytest.mark.parametrize(
    "counts",
    [
        {"total": "1", "valid": 1},
        {"total": True, "valid": 1},
        {"total": 1, "valid": -1},
        {"total": 1, "valid": 2},
        {"total": 1, "valid": 0.5},
        {"total": 0},
        {"total": 1, "valid": 1, "proved": 1},
        {"valid": 1},
        None,
        [],
    ],
)
def test_counts_that_are_not_counts_are_refused(counts: object) -> None:
    with pytest.raises(ReportError):
        parse_wp_report(wp(f_ensures={"wp:main": counts, "qed": counts}), "f")


def test_a_goal_without_prover_answers_is_refused() -> None:
    with pytest.raises(ReportError, match="more proved"):
        parse_wp_report(wp(f_ensures={"wp:main": {"total": 1, "valid": 1}}), "f")


@pytest.mark.parametrize("data", [b"null", b"", b"{", b"[]", b'{"wp:functions": {"f": "false"}}'])
def test_a_report_of_another_form_is_refused(data: bytes) -> None:
    with pytest.raises(ReportError):
        parse_wp_report(data, "f")


def test_a_later_stage_may_not_lose_a_proof() -> None:
    counts = {"total": 1, "valid": 1}
    proved = parse_wp_report(wp(f_ensures={"wp:main": counts, "CVC4:1.8": counts}), "f")
    counts = {"total": 1, "unknown": 1}
    lost = parse_wp_report(wp(f_ensures={"wp:main": counts, "Z3:4.8.12": counts}), "f")
    assert merge_stages([lost, proved])["f_ensures"].proved == 1
    with pytest.raises(ReportError, match="contradict"):
        merge_stages([proved, lost])


def test_only_known_warnings_are_harmless() -> None:
    log = b"[wp] warning: No goal generated\n\njudged.c:3:[wp] warning: Memory model hypotheses\n"
    odd = "judged.c:3:[wp] warning: Memory model hypotheses"
    assert unexpected_lines(log, HARMLESS) == (odd,)
    assert unexpected_lines(log, HARMLESS, known=odd.encode()) == ()
