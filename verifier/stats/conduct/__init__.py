"""Tests of what an operator can choose: schedules, early ends, void rounds, times."""
