"""Where our server answers Slack and the browsers it sends."""

EVENTS_PATH = "/slack/events"
INSTALL = "/slack/install"
BACK = "/slack/oauth_redirect"
