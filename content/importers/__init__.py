"""Importers: documents from the wild become drafts of the bank, and a report of what could not be read."""

from content.importers.drafts import write_drafts
from content.importers.exam import import_file
from content.importers.report import Imported, ImportFault, ImportReport, Problem, report_text

__all__ = ["ImportFault", "ImportReport", "Imported", "Problem", "import_file", "report_text", "write_drafts"]
