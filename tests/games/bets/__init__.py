"""Bets as data."""
