"""The linter of the bank: what an author should mend before a question is asked.

``python -m content.lint [PATH ...]`` prints every fault of form and every finding of style; the codes are explained in
docs/lint-codes.md. Exit code 0: nothing to mend; 1: something; 2: a path cannot be read.
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import date
from pathlib import Path

from content.library import Entry, Library, default_bank_path
from content.lint_bank import bank_flaws
from content.lint_items import item_flaws
from content.lint_text import has_cjk, tokens
from content.loader import Fault, read_files
from content.question import Status
from content.soundness import texts
from content.taxonomy import Taxonomy, default_taxonomy
from content.text_rules import simplify

# Severity of the rules: E stops a question, W needs a waiver with a reason, I is said and no more.
SEVERITIES = {
    **{f"A{n:02}": "E" for n in (1, 2, 3, 4, 5, 9, 13, 19, 22, 24, 25, 27, 28, 29, 30, 31, 32)},
    **{f"A{n:02}": "W" for n in (6, 7, 8, 10, 11, 12, 14, 15, 16, 17, 18, 20, 21, 23, 26, 33)},
    "A00": "I",
}
_ORDER = {"E": 0, "W": 1, "I": 2}
_COPIED = {"en": 13, "zh": 20}  # words, characters in a row that make a copy


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing the linter says. ``waived`` is the author's reason for leaving it; ``path`` is empty for the bank."""

    code: str
    severity: str
    message: str
    cure: str
    question_id: str = ""
    path: str = ""
    line: int = 0
    language: str = ""
    waived: str = ""
    draft: bool = False

    @property
    def blocks(self) -> bool:
        """Must it be mended (or waived) before the bank is published? Drafts may wait."""
        return self.severity in "EW" and not self.waived and not self.draft

    def __str__(self) -> str:
        place = f"{self.path}:{self.line}: " if self.path else ""
        name = f" {self.question_id}:" if self.question_id else ""
        return f"{place}{self.severity} {self.code}{name} {self.message}; {self.cure}"


def lint(
    library: Library,
    taxonomy: Taxonomy | None = None,
    today: date | None = None,
    against: Iterable[str] = (),
) -> list[Finding]:
    """Findings for a library: question by question in its order, then the bank's.

    ``against`` are texts of which nothing may be copied (A32); ``today`` ages time-bound claims (B11).
    """
    taxonomy = taxonomy or default_taxonomy()
    copied = _copied_grams(against)
    findings: list[Finding] = []
    for entry in library.entries:
        findings += _entry_findings(entry, taxonomy, copied)
    for flaw in bank_flaws(library.entries, taxonomy, today):
        if flaw.entry is None:
            findings.append(Finding(flaw.code, flaw.severity, flaw.fault, flaw.cure))
        else:
            findings.append(_finding(flaw.entry, flaw.code, flaw.severity, flaw.fault, flaw.cure))
    return findings


def _entry_findings(entry: Entry, taxonomy: Taxonomy, copied: frozenset[tuple[str, ...]]) -> list[Finding]:
    found = [
        _finding(entry, flaw.code, SEVERITIES[flaw.code], flaw.fault, flaw.cure, flaw.language)
        for flaw in item_flaws(entry, taxonomy)
    ]
    if copied:
        found += _copies(entry, copied)
    used = {finding.code for finding in found} | {"B04", "B11"}
    for code in entry.waivers:
        if code not in used:
            found.append(_finding(entry, "A00", "I", f"the waiver of {code} is not needed", "remove it"))
        elif SEVERITIES.get(code) == "E":
            found.append(_finding(entry, "A00", "I", f"{code} cannot be waived", "mend it and remove the waiver"))
    return found


def _finding(entry: Entry, code: str, severity: str, fault: str, cure: str, language: str = "") -> Finding:
    return Finding(
        code=code,
        severity=severity,
        message=fault,
        cure=cure,
        question_id=entry.question.id,
        path=entry.path,
        line=entry.line,
        language=language,
        waived=entry.waivers.get(code, "") if severity == "W" else "",
        draft=entry.question.status is Status.DRAFT,
    )


# --- A32: copies -----------------------------------------------------------------------------------------------------


def _copied_grams(against: Iterable[str]) -> frozenset[tuple[str, ...]]:
    grams: set[tuple[str, ...]] = set()
    for text in against:
        for language in ("en", "zh"):
            grams.update(_grams(text, language))
    return frozenset(grams)


def _grams(text: str, language: str) -> Iterable[tuple[str, ...]]:
    if language == "zh":
        text = simplify(text)
    words = tokens(text, language)
    n = _COPIED[language]
    return (tuple(words[i : i + n]) for i in range(len(words) - n + 1))


def _copies(entry: Entry, copied: frozenset[tuple[str, ...]]) -> list[Finding]:
    found = []
    for where, text in texts(entry.question):
        for language in ("en", "zh"):
            written = getattr(text, language)
            if language == "zh" and not has_cjk(written):
                continue
            for gram in _grams(written, language):
                if gram in copied:
                    said = ("" if language == "zh" else " ").join(gram)
                    fault = f"{where[0]} is copied: '{said}'"
                    found.append(_finding(entry, "A32", "E", fault, "say it in your own words", language))
                    break
    return found


# --- reports ---------------------------------------------------------------------------------------------------------


def lint_report(
    paths: Sequence[Path] = (), *, today: date | None = None, taxonomy: Taxonomy | None = None
) -> tuple[list[Finding], str]:
    """Findings for files and folders (the shipped bank without any), faults of form among them, and a text to print."""
    reading = read_files(paths or [default_bank_path()], taxonomy)
    findings = [_of_fault(fault) for fault in reading.faults]
    told = {(finding.question_id, finding.code) for finding in findings}
    library = Library(tuple(reading.entries))
    findings += [f for f in lint(library, taxonomy, today) if not f.question_id or (f.question_id, f.code) not in told]
    findings.sort(key=lambda f: (not f.path, f.path, f.line, _ORDER[f.severity], f.code))
    return findings, _text(findings, library)


def _of_fault(fault: Fault) -> Finding:
    severity = "E" if fault.fatal else "I"
    return Finding(fault.code, severity, fault.fault, fault.cure, fault.question_id, fault.path, fault.line)


def _text(findings: Sequence[Finding], library: Library) -> str:
    shown = [str(finding) for finding in findings if not finding.waived]
    waived = [f"  {f.question_id} {f.code}: {f.waived}" for f in findings if f.waived]
    counts = Counter(finding.severity for finding in findings if not finding.waived)
    blocking = sum(finding.blocks for finding in findings)
    waiting = sum(f.draft and f.severity in "EW" and not f.waived for f in findings)
    summary = (
        f"{len(library)} questions, {len(library.topics())} topics: {counts['E']} E, {counts['W']} W, {counts['I']} I"
        f", {len(waived)} waived; {blocking or 'nothing'} to mend"
        + (f" now, {waiting} before the drafts are published" if waiting else "")
    )
    return "\n".join([*shown, *(["Waived:", *waived] if waived else []), summary])


def main(arguments: Sequence[str] | None = None) -> int:
    """Lint the paths given on the command line, or the shipped bank."""
    paths = [Path(argument) for argument in (sys.argv[1:] if arguments is None else arguments)]
    findings, text = lint_report(paths)
    sys.stdout.write(text + "\n")
    if any(finding.code == "F01" for finding in findings):
        return 2
    return int(any(finding.blocks for finding in findings))


if __name__ == "__main__":
    raise SystemExit(main())
