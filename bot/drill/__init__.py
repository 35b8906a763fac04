"""The rules, pure: time, randomness and ids come in as arguments."""
