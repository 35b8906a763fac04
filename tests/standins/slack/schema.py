"""Slack's published JSON schema of blocks, used beside the hand-written limits where the file is at hand.

The schema knows which fields exist and of which type, but no lengths; the hand-written limits know both for the blocks
the product uses. The file does not ship with the project (``../shared/specs``), so its absence is no fault.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from jsonschema import Draft7Validator
from jsonschema.exceptions import best_match

SPEC = Path(__file__).resolve().parents[4] / "shared" / "specs" / "slack-blocks.schema.json"


class BlockSchema:
    """Checks each block against the schema's definition of its own type, so that faults name the real field."""

    def __init__(self, path: Path) -> None:
        definitions = json.loads(path.read_text(encoding="utf-8"))["definitions"]
        self._definitions = definitions
        self._names = {kind: name for name, entry in definitions.items() for kind in _kinds(entry)}
        self._validators: dict[str, Draft7Validator] = {}

    def check_blocks(self, blocks: Any, at: str = "/blocks") -> list[str]:
        if not isinstance(blocks, list):
            return []
        faults = []
        for n, block in enumerate(blocks):
            name = self._names.get(str(block.get("type"))) if isinstance(block, dict) else None
            if name and (error := best_match(self._validator(name).iter_errors(block))):
                where = "".join(f"/{part}" for part in error.absolute_path)
                faults.append(f"schema {name}: {error.message[:300]} [json-pointer:{at}/{n}{where}]")
        return faults

    def check_view(self, view: Any) -> list[str]:
        if not isinstance(view, dict):
            return []
        name = "HomeView" if view.get("type") == "home" else "ModalView"
        error = best_match(self._validator(name).iter_errors(view | {"blocks": []}))
        faults = [f"schema {name}: {error.message[:300]} [json-pointer:/view]"] if error else []
        return faults + self.check_blocks(view.get("blocks"), "/view/blocks")

    def _validator(self, name: str) -> Draft7Validator:
        if name not in self._validators:
            schema = {"$ref": f"#/definitions/{name}", "definitions": self._definitions}
            self._validators[name] = Draft7Validator(schema)
        return self._validators[name]


def _kinds(entry: dict[str, Any]) -> list[str]:
    """The block types an entry of the schema describes (images are described twice over, in an anyOf)."""
    shapes = [entry, *entry.get("anyOf", [])]
    found = [shape["properties"]["type"].get("const") for shape in shapes if "type" in shape.get("properties", {})]
    return [kind for kind in found if kind and any("block_id" in s.get("properties", {}) for s in shapes)]


def load(path: Path = SPEC) -> BlockSchema | None:
    """The schema, or None where the file is not at hand."""
    return BlockSchema(path) if path.exists() else None
