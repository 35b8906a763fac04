"""Tests of Team Drills; they mirror the source."""
