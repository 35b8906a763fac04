"""The ``drills`` command. Each command is a few lines into the product; libraries are imported when they are needed.

Exit codes: 0 done, 1 something was found wrong (lint, check, a simulation with faults), 2 a wrong input or setting.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Annotated, Any

import typer

app = typer.Typer(
    help="Team Drills: one good question a day for engineering teams, in Slack and Discord.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)
content = typer.Typer(help="The question bank: check it, try keys, import exam documents.", no_args_is_help=True)
db = typer.Typer(help="The database: upgrade, check, back up, restore.", no_args_is_help=True)
schedules = typer.Typer(help="Schedules as a file, for those who keep them in git.", no_args_is_help=True)
slack = typer.Typer(help="What Slack needs to know about the app.", no_args_is_help=True)
discord = typer.Typer(help="What Discord needs to know about the bot.", no_args_is_help=True)
app.add_typer(content, name="content")
app.add_typer(db, name="db")
app.add_typer(schedules, name="schedules")
app.add_typer(slack, name="slack")
app.add_typer(discord, name="discord")


class InputFault(Exception):
    """What was typed cannot be used; the text says how to mend it."""


@app.command(short_help="See a team's week, in the terminal and on a page.")
def demo(
    once: Annotated[bool, typer.Option("--once", help="End after the week instead of serving the page.")] = False,
    keep: Annotated[bool, typer.Option("--keep", help="Go on with the week after the last run.")] = False,
    bank: Annotated[Path | None, typer.Option(help="Drill on this folder of questions, drafts included.")] = None,
    port: Annotated[int, typer.Option(min=0, max=65535, help="Port of the page; 0 picks a free one.")] = 8080,
    seconds: Annotated[float, typer.Option(min=1, max=3600, help="How long the week takes, in seconds.")] = 60.0,
    lang: Annotated[str, typer.Option(help="Language of the narration: en or zh.")] = "en",
) -> None:
    """A team's week in about a minute, in the terminal and on a local page. Needs no tokens."""
    from bot.demo import DemoOptions, run_demo

    raise typer.Exit(run_demo(DemoOptions(once=once, keep=keep, bank=bank, port=port, seconds=seconds, language=lang)))


@app.command(short_help="Start the bot on whatever has tokens.")
def run() -> None:
    """Start the bot on whatever has tokens (DRILLS_SLACK_…, DRILLS_DISCORD_TOKEN)."""
    from bot.run import run_bot
    from bot.settings import load_settings

    raise typer.Exit(run_bot(load_settings()))


@app.command(short_help="Replay months offline and count from the outside.")
def simulate(
    days: Annotated[int, typer.Option(min=1, max=3660, help="How many days to replay.")] = 180,
    members: Annotated[int, typer.Option(min=1, max=500, help="How many members answer.")] = 12,
    seed: Annotated[int, typer.Option(help="The same seed gives the same months.")] = 1,
    zone: Annotated[str, typer.Option(help="The channel's time zone.")] = "America/New_York",
    faults: Annotated[str, typer.Option(help="none, or all: outages, crashes, lost replies, clock jumps.")] = "none",
    as_json: Annotated[bool, typer.Option("--json", help="Print the counts as JSON.")] = False,
) -> None:
    """Replay months offline on a fake clock and count posts, duplicates, misses and boards from the outside."""
    from bot.simulate import SimulationOptions, simulate

    report = simulate(SimulationOptions(days=days, members=members, seed=seed, zone=zone, faults=faults))
    typer.echo(json.dumps(report.to_json(), indent=2) if as_json else report.to_text())
    raise typer.Exit(0 if report.clean else 1)


# --- content ---------------------------------------------------------------------------------------------------


@content.command("grade", short_help="Grade responses against keys.")
def content_grade(
    source: Annotated[str, typer.Option("--json", help="A file with a JSON list of requests, or -.")],
) -> None:
    """Grade responses against keys: gives a list of {"credit", "read_as"}."""
    from content.grading import RequestFault, grade_requests

    text = _read_text(source)
    try:
        requests = json.loads(text)
    except (json.JSONDecodeError, RecursionError) as error:
        raise RequestFault(f"The input is no JSON ({error}): give a list of requests.") from None
    _print_json(grade_requests(requests))


@content.command("challenges", short_help="List what members dispute.")
def content_challenges(
    as_json: Annotated[bool, typer.Option("--json", help="Print them as JSON.")] = False,
    names: Annotated[bool, typer.Option("--names", help="Say who wrote each of them.")] = False,
) -> None:
    """List the answers that members dispute, with the question, its version and what everybody answered."""
    from bot.usecases.challenge_answer import dispute_text, dispute_to_plain, list_challenges

    with _database() as database:
        found = database.read(list_challenges).result()
    if as_json:
        _print_json([dispute_to_plain(dispute, names=names) for dispute in found])
    elif not found:
        typer.echo("Nothing is disputed.")
    else:
        typer.echo("\n\n".join(dispute_text(dispute, names=names) for dispute in found))


@content.command("import", short_help="Read an exam document (.txt, .docx).")
def content_import(
    file: Annotated[Path, typer.Argument(help="An exam document, .txt or .docx.")],
    to: Annotated[Path | None, typer.Option(help="Write the questions as drafts into this folder.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print questions and problems as JSON.")] = False,
    simplified: Annotated[bool, typer.Option("--simplified", help="Turn traditional Chinese into simplified.")] = False,
) -> None:
    """Read an exam document as found in the wild; what cannot be read is reported with its line."""
    from content.importers import import_file, report_text, write_drafts

    report = import_file(file, simplify=simplified)
    written = write_drafts(report, to, source_name=file.name) if to is not None else []
    if as_json:
        _print_json(report.to_json())
    else:
        typer.echo(report_text(report))
    for path in written:
        typer.echo(f"Wrote {path}", err=True)
    raise typer.Exit(0 if report.questions else 1)


@content.command("lint", short_help="Check questions, or the bank that ships.")
def content_lint(
    paths: Annotated[list[Path] | None, typer.Argument(help="Files or folders; the shipped bank where none.")] = None,
) -> None:
    """Check questions against the file format and the rules of good items (docs/lint-codes.md)."""
    from content.lint import main as lint_main

    raise typer.Exit(lint_main([str(path) for path in paths or []]))


@content.command("show")
def content_show(
    question_id: Annotated[str, typer.Argument(help="The id of a question.")],
    bank: Annotated[Path | None, typer.Option(help="The bank's folder; the shipped one where none.")] = None,
) -> None:
    """Print a question with its key, explanation and sources."""
    from content.library import default_bank_path
    from content.loader import load_bank
    from content.question import to_plain

    library = load_bank(bank or default_bank_path(), drafts=True)
    question = library.get(question_id)
    if question is None:
        import difflib

        near = difflib.get_close_matches(question_id, [q.id for q in library], n=3)
        hint = f"did you mean {', '.join(near)}?" if near else "ids stand in the files of the bank."
        raise InputFault(f"There is no question {question_id!r}; {hint}")
    _print_json(to_plain(question))


# --- database --------------------------------------------------------------------------------------------------


@db.command("upgrade", short_help="Bring the database to this version's tables.")
def db_upgrade() -> None:
    """Bring the database to this version's tables; a file with data is backed up first."""
    from bot.settings import load_settings
    from storage.backup import upgrade_safely

    typer.echo(upgrade_safely(load_settings().database_url, _now()))


@db.command("check")
def db_check() -> None:
    """Look for damage, dangling rows and a wrong revision."""
    from bot.settings import load_settings
    from storage.backup import check

    faults = check(load_settings().database_url)
    for fault in faults:
        typer.echo(fault)
    if not faults:
        typer.echo("The database is sound.")
    raise typer.Exit(1 if faults else 0)


@db.command("backup")
def db_backup(
    to: Annotated[Path | None, typer.Argument(help="File or folder of the copy; else beside it.")] = None,
) -> None:
    """Copy the database while the bot runs, and verify the copy."""
    from bot.settings import load_settings
    from storage.backup import backup

    report = backup(load_settings().database_url, to, _now())
    typer.echo(f"{report.path}: {report.size:,} bytes, {report.rounds} rounds, {report.answers} answers, verified.")


@db.command("restore", short_help="Put a backup in the database's place.")
def db_restore(source: Annotated[Path, typer.Argument(help="The backup to put in place.")]) -> None:
    """Put a backup in the database's place (the bot must be stopped); what was there is kept beside it."""
    from bot.settings import load_settings
    from storage.backup import restore

    report = restore(load_settings().database_url, source, _now())
    typer.echo(f"Restored {report.rounds} rounds and {report.answers} answers (revision {report.revision}).")


# --- schedules -------------------------------------------------------------------------------------------------


@schedules.command("export", short_help="Write all schedules as a file for git.")
def schedules_export(to: Annotated[Path | None, typer.Argument(help="The file; else standard output.")] = None) -> None:
    """Write all schedules as a YAML file, in a stable order; `apply` reads it."""
    from bot.schedule_file import write_schedules
    from bot.usecases.export_schedules import export_schedules

    with _database() as database:
        text = write_schedules(database.read(lambda tx: export_schedules(tx, _now())).result())
    if to is None:
        sys.stdout.buffer.write(text.encode())
        return
    try:
        to.write_text(text, "utf-8")
    except OSError as error:
        raise InputFault(f"{to} cannot be written ({error.strerror}): give another file.") from None


@schedules.command("apply", short_help="Make the schedules what a file says.")
def schedules_apply(
    file: Annotated[str, typer.Argument(help="A file as `export` writes it, or - for standard input.")],
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only show what would change; 1 where anything.")] = False,
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask.")] = False,
    prune: Annotated[bool, typer.Option("--prune", help="Pause channels that the file leaves out.")] = False,
) -> None:
    """Make the schedules what a file says, all or nothing; what would change is shown first. The bot may be running."""
    from bot.applying import apply_file

    with _database() as database:
        done = apply_file(database, _read_text(file), file, dry_run=dry_run, prune=prune, agreed=yes or None)
    raise typer.Exit(done)


# --- platforms -------------------------------------------------------------------------------------------------


@slack.command("manifest", short_help="Print the app manifest for Slack.")
def slack_manifest(
    socket: Annotated[bool, typer.Option("--socket", help="Slack comes in by Socket Mode.")] = False,
    http: Annotated[str, typer.Option(help="Slack sends to this https address.")] = "",
    rotate: Annotated[bool, typer.Option("--rotate", help="Tokens end and are renewed (OAuth alone).")] = False,
    explain: Annotated[bool, typer.Option("--explain", help="Say what each scope is for, and nothing else.")] = False,
) -> None:
    """Print the app manifest to paste into Slack's *Create an app*; without options it follows the settings."""
    from bot.settings import load_settings
    from bot.slack.manifest import Shape, explained, manifest

    if explain:
        typer.echo(explained())
        return
    if socket and http:
        raise InputFault("Give --socket or --http, not both: Slack comes in by one way.")
    if http and not http.startswith("https://"):
        raise InputFault("--http: write an address that begins with https://; Slack sends to no other.")
    settings = load_settings()
    url = http.rstrip("/") or settings.public_url
    over_socket = socket or not (http or (url and settings.slack_app_token is None))
    try:
        _print_json(manifest(Shape(url, over_socket, rotate)))
    except ValueError as error:
        raise InputFault(str(error)) from None


@slack.command("rotate-keys", short_help="Seal stored tokens with the first key.")
def slack_rotate_keys() -> None:
    """Seal every workspace's tokens with the first key of DRILLS_SECRET_KEY; older keys are not needed after that."""
    from bot.settings import read_settings
    from bot.usecases.rotate_keys import rotate_keys

    settings = read_settings()
    if settings.secret_key is None:
        raise InputFault("DRILLS_SECRET_KEY: put the new key into it, before the old one, with a comma between.")
    typer.echo(rotate_keys(settings.database_url, settings.secret_key.get_secret_value(), _now()))


@discord.command("invite", short_help="Print the link that invites the bot.")
def discord_invite(
    application_id: Annotated[int, typer.Argument(min=1, help="The application id of General Information.")],
    explain: Annotated[bool, typer.Option("--explain", help="Say what each permission is for.")] = False,
) -> None:
    """Print the link that invites the bot with the fewest permissions it needs."""
    from bot.discord.invite import explanation, invite_url

    typer.echo(invite_url(application_id))
    if explain:
        typer.echo("\n" + explanation())


def main() -> None:
    """Run the command; a fault that a person can mend is one sentence on standard error and exit code 2."""
    try:
        app()
    except BrokenPipeError:
        sys.exit(0)
    except Exception as error:
        if not _is_fault(error):
            raise
        print(error, file=sys.stderr)  # noqa: T201 — this is the command line
        sys.exit(2)


def _is_fault(error: Exception) -> bool:
    """Is this something the person at the keyboard can mend?"""
    if isinstance(error, InputFault):
        return True
    from bot.schedule_file import ScheduleFileFault
    from bot.settings import SettingsFault
    from content.grading import RequestFault
    from content.importers import ImportFault
    from content.loader import BankFault
    from storage.database import DatabaseFault
    from storage.seal import SealFault

    return isinstance(
        error, SettingsFault | SealFault | ScheduleFileFault | RequestFault | ImportFault | BankFault | DatabaseFault
    )


def _database() -> Any:
    """The database of the settings, open for one command; the bot may have it open too, where SQLite bears that."""
    from contextlib import closing

    from bot.settings import load_settings
    from storage.database import Database, sqlite_module, sqlite_path
    from storage.lock import ProcessLock
    from storage.migrate import look, newest_revision

    url = load_settings().database_url
    if look(url) != newest_revision():
        raise InputFault("The database has not this version's tables: run `drills db upgrade` first.")
    path = sqlite_path(url)
    if path is not None and not sqlite_module()[1] and not ProcessLock(path).try_acquire():
        raise InputFault(
            "Stop `drills run` first: this machine's SQLite can lose pages when two processes have a database open "
            "(docs/operating.md)."
        )
    return closing(Database(url))


def _read_text(source: str) -> str:
    try:
        return sys.stdin.buffer.read().decode("utf-8-sig") if source == "-" else Path(source).read_text("utf-8-sig")
    except OSError as error:
        raise InputFault(f"{source} cannot be read ({error.strerror}): give a file, or - for standard input.") from None
    except UnicodeDecodeError:
        raise InputFault(f"{source} is not UTF-8 text: save it as UTF-8.") from None


def _print_json(value: Any) -> None:
    sys.stdout.buffer.write((json.dumps(value, ensure_ascii=False, indent=2) + "\n").encode())


def _now() -> Any:
    from datetime import UTC, datetime

    return datetime.now(UTC)


if __name__ == "__main__":
    main()
