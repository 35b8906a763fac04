"""Importers: documents from the wild become drafts of the bank, and a report of what could not be read."""
