"""Tests of the benchmarks: what they print and write, and how two commits are compared."""
