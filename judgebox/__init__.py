"""Rewards that are judged, not sampled.

A submission goes in, a verdict comes out, and nothing else about the machine shows in it.
"""

__version__ = "0.1.0"
