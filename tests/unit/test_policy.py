"""Everything that decides is part of the policy; nothing about the machine is."""

from __future__ import annotations

import dataclasses

import pytest

from judgebox.acsl import prove
from judgebox.acsl.prove import ProofCase, proof_policy
from judgebox.acsl.task import ProofTask
from judgebox.cache import CacheKey
from judgebox.canonical import sha256_hex

IMAGE = "sha256:" + "0" * 64
TASK = ProofTask("t", "/*@ ensures \\result == 1; */ int f(void) { /* TODO */ }")
CASE = ProofCase(TASK, "return 1;", image=IMAGE)


def key(case: ProofCase) -> str:
    parts = (sha256_hex(case.submission), case.policy.digest, sha256_hex(case.inputs))
    return CacheKey(*parts).hex


def test_equal_cases_have_equal_keys() -> None:
    assert key(CASE) == key(dataclasses.replace(CASE))


def test_another_source_misses() -> None:
    assert key(dataclasses.replace(CASE, reply="return 2;")) != key(CASE)


def test_another_solver_policy_misses(monkeypatch: pytest.MonkeyPatch) -> None:
    more_steps = dataclasses.replace(TASK, steps=TASK.steps + 1)
    assert key(dataclasses.replace(CASE, task=more_steps)) != key(CASE)
    before = key(CASE)
    monkeypatch.setattr(prove.framac, "STAGES", ("z3", "cvc4"))
    proof_policy.cache_clear()
    assert key(dataclasses.replace(CASE)) != before
    proof_policy.cache_clear()


def test_another_time_limit_misses(monkeypatch: pytest.MonkeyPatch) -> None:
    before = key(CASE)
    longer = dataclasses.replace(prove.framac.PROOF_LIMITS, cpu_s=601)
    monkeypatch.setattr(prove.framac, "PROOF_LIMITS", longer)
    proof_policy.cache_clear()
    assert key(dataclasses.replace(CASE)) != before
    proof_policy.cache_clear()


def test_another_toolchain_misses() -> None:
    assert key(dataclasses.replace(CASE, image="sha256:" + "1" * 64)) != key(CASE)


def test_another_runner_misses(monkeypatch: pytest.MonkeyPatch) -> None:
    before = key(CASE)
    monkeypatch.setattr(prove, "runner_sha256", lambda: "0" * 64)
    proof_policy.cache_clear()
    assert key(dataclasses.replace(CASE)) != before
    proof_policy.cache_clear()


def test_another_task_or_oracle_misses() -> None:
    other = dataclasses.replace(TASK, source=TASK.source.replace("== 1", "== 2"))
    assert key(dataclasses.replace(CASE, task=other)) != key(CASE)
    checked = dataclasses.replace(TASK, oracle="static void call(void) {}")
    assert key(dataclasses.replace(CASE, task=checked)) != key(CASE)


def test_each_deciding_module_is_in_the_policy() -> None:
    named = set(proof_policy(IMAGE).modules)
    for module in ("ledger.py", "findings.py", "contract.py", "body_rules.py", "oracle_main.c"):
        assert f"judgebox.acsl/{module}" in named
    assert "judgebox.extract/extract.py" in named
