"""Property tests here have no deadline: a busy machine is no fault of the rules."""

from hypothesis import settings

settings.register_profile("drill", deadline=None)
settings.load_profile("drill")
