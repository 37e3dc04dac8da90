"""Tests of policies and cosignatures."""
