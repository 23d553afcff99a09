"""The JSON Schema of a file that users write, for editors that complete and check keys."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pydantic.json_schema import GenerateJsonSchema

from gnomon.base.schema import whole_number

if TYPE_CHECKING:
    from pydantic.json_schema import JsonSchemaValue
    from pydantic_core import core_schema

    from gnomon.base.schema import Section


class _ForEditors(GenerateJsonSchema):
    """What a file may say, which is more than what its model holds, such as ``none``."""

    def function_before_schema(
        self, schema: core_schema.BeforeValidatorFunctionSchema
    ) -> JsonSchemaValue:
        """A rule that runs before the type is checked takes plain values too."""
        checked = super().function_before_schema(schema)
        if schema["function"]["function"] is whole_number:
            return checked
        return {"anyOf": [checked, {"type": ["string", "number", "boolean", "null"]}]}


def json_schema(kind: type[Section]) -> dict[str, Any]:
    """The JSON Schema of a file: every key with its meaning, unit and allowed values."""
    made = kind.model_json_schema(by_alias=True, schema_generator=_ForEditors)
    sections = [made, *made.get("$defs", {}).values()]
    for said in [each for section in sections for each in section.get("properties", {}).values()]:
        unit, allowed, _, _ = (said.pop(word, "") for word in ("unit", "allowed", "why", "shown"))
        remarks = "; ".join(filter(None, (unit, allowed)))
        if remarks:
            said["description"] = f"{said['description']} ({remarks})"
    return {"$schema": GenerateJsonSchema.schema_dialect, **made}
