"""``drills demo``: a team's week in about a minute, in the terminal and on a local page. No tokens.

The engine, the beat, the database and the page are the real ones; only the clock is ours, and the team.
"""

from bot.demo.options import DemoFault, DemoOptions
from bot.demo.run import run_demo

__all__ = ["DemoFault", "DemoOptions", "run_demo"]
