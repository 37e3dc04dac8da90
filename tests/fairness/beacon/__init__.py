"""Tests of beacons."""
