"""Benchmarks: each prints a ratio against a floor that is measured in the same run."""
