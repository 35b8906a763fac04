"""Answers: what counts, what is told when, and what a forged or odd answer comes to."""

from __future__ import annotations
