"""Formally verified C: contract and body rules, oracle, Frama-C."""
