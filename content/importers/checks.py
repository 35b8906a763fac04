"""What is doubtful about a document as a whole: counts, numbering, duplicates, contradictions, truncation."""

from __future__ import annotations

from collections.abc import Sequence

from content.importers.document import Line
from content.importers.items import Section
from content.importers.report import Imported, Problem


def check(questions: Sequence[Imported], sections: Sequence[Section], lines: Sequence[Line]) -> list[Problem]:
    """All that a reader of the whole document would notice."""
    return []
