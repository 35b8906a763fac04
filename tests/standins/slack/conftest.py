"""The stand-in's own tests use the fixture the product's tests use."""

from tests.standins.slack.fixture import slack

__all__ = ["slack"]
