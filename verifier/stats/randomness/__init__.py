"""Tests of outcomes against the exact law of their game."""
