"""What a simulation is asked for, checked before anything is done."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date
from importlib.resources import files

from bot.drill.reading import check_country, check_zone
from bot.settings import SettingsFault

FIRST_DAY = date(2026, 10, 2)
"""Where every simulation begins: a Friday, from which half a year holds both clock changes of the northern zones."""

FAULTS = ("none", "all")


@dataclass(frozen=True, slots=True)
class SimulationOptions:
    """``zone`` is the channel's; ``faults`` is ``none`` or ``all``. The same options give the same months."""

    days: int = 180
    members: int = 12
    seed: int = 1
    zone: str = "America/New_York"
    faults: str = "none"


def checked(options: SimulationOptions) -> SimulationOptions:
    """The options with the zone as IANA spells it. Raises ``SettingsFault`` with one sentence."""
    try:
        zone = check_zone(options.zone)
    except ValueError as fault:
        raise SettingsFault(f"--zone: {fault}") from None
    if options.faults not in FAULTS:
        raise SettingsFault(f"--faults: “{options.faults[:40]}” is no set of faults; write none or all.")
    if not 1 <= options.days <= 3660:
        raise SettingsFault(f"--days: {options.days} days cannot be replayed; write 1 to 3660.")
    if not 1 <= options.members <= 500:
        raise SettingsFault(f"--members: {options.members} members cannot be simulated; write 1 to 500.")
    return SimulationOptions(options.days, options.members, options.seed, zone, options.faults)


def country_of(zone: str) -> str:
    """A country whose holidays the channel keeps: the zone's own where its holidays are known, else ``US``."""
    table = files("tzdata").joinpath("zoneinfo", "zone.tab").read_text("utf-8")
    for line in table.splitlines():
        if not line.startswith("#") and line.split("\t")[2] == zone:
            try:
                return check_country(line.split("\t")[0])
            except ValueError:
                break
    return "US"
