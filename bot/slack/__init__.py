"""Slack: Bolt hears, the Web API speaks. Only this package knows either."""
