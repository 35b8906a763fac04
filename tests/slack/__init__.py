"""Slack, end to end: a real Bolt app and a real engine against the stand-in."""
