"""Discord: translates between the engine and discord.py. Import the library as ``discord`` (it is not this package)."""
