"""Bases of our Verifiers environments; needs `judgebox[rl]`."""
