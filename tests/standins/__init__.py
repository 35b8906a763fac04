"""Local stand-ins for the platforms: strict, driven by tests, watched from the outside."""
