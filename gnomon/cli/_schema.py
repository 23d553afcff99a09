"""``gnomon schema``: the JSON Schema of each kind of user file, for editors."""

import json
from pkgutil import resolve_name
from typing import Any, Literal, get_args

from pydantic.json_schema import GenerateJsonSchema, JsonSchemaValue
from pydantic_core import core_schema

from gnomon.arch import Architecture
from gnomon.base.errors import require_known
from gnomon.base.keys import keys_of
from gnomon.base.schema import Section, whole_number
from gnomon.cli._answer import CommandOutput, with_json_output
from gnomon.cli._options import argument

Kind = Literal["machine", "kernel", "learner", "unit", "study", "sweep", "budget", "deploy"]
KINDS: tuple[Kind, ...] = get_args(Kind)
_MODELS = {
    "kernel": "gnomon.measure.kernels:KernelFile",
    "learner": "gnomon.learn.algorithm:Algorithm",
    "unit": "gnomon.arch.units.file:UnitFile",
    "study": "gnomon.report.study_file:StudyFile",
}


@with_json_output()
def schema(kind: str = argument("KIND", f"One of {', '.join(KINDS)}.")) -> CommandOutput:
    """Print the JSON Schema of a kind of file; editors use it to complete and check keys."""
    require_known("kind of file", kind, KINDS)
    wanted = schema_of(kind)
    yield wanted, [json.dumps(wanted, indent=2)]


def schema_of(kind: str) -> dict[str, Any]:
    """Return the JSON Schema of one of ``KINDS``."""
    if kind in _MODELS:
        return json_schema(resolve_name(_MODELS[kind]))
    several = {"machine": _machine, "sweep": _sweep, "budget": _budget, "deploy": _deployment}
    return several[kind]()


def _machine() -> dict[str, Any]:
    made = json_schema(Architecture)
    what = "the name or the path of a machine that has all keys that this file leaves out"
    made["properties"]["extends"] = {"type": "string", "description": what}
    for each in (made, *made["$defs"].values()):
        each.pop("required", None)  # the extended machine may have these keys
    return made


def _sweep() -> dict[str, Any]:
    from gnomon.explore import SweepFile

    made = json_schema(SweepFile)
    for name in ("axes", "fixed"):
        made["properties"][name]["properties"] = _settings() | _keys()
    return made


def _budget() -> dict[str, Any]:
    from gnomon.budget import BudgetFile, CheckFile

    made, check = json_schema(BudgetFile), json_schema(CheckFile)
    made["properties"]["set"]["properties"] = check["properties"]["set"]["properties"] = _keys()
    made["properties"]["checks"]["additionalProperties"] = {
        name: value for name, value in check.items() if name != "$schema"
    }
    return made


def _deployment() -> dict[str, Any]:
    from gnomon.deploy.file import DeploymentFile

    made = json_schema(DeploymentFile)
    made["$defs"]["LearnerKeys"]["properties"] |= _settings("learner")
    made["properties"]["set"]["properties"] = _keys()
    return made


def _settings(*workloads: str) -> dict[str, Any]:
    """Return the settings of the named workloads, or of all."""
    from gnomon.explore.settings import SETTINGS

    return {
        each.name: {"description": f"{each.meaning} ({each.allowed})"}
        for workload in workloads or SETTINGS
        for each in SETTINGS[workload]
    }


def _keys() -> dict[str, Any]:
    return {each.path: {"description": each.meaning} for each in keys_of(Architecture)}


class _ForEditors(GenerateJsonSchema):
    """Schema of the text of a file, which allows more than its model, such as ``none``."""

    def function_before_schema(
        self, schema: core_schema.BeforeValidatorFunctionSchema
    ) -> JsonSchemaValue:
        """Allow plain values for a rule that runs before the type check."""
        checked = super().function_before_schema(schema)
        if schema["function"]["function"] is whole_number or checked.get("type") == "object":
            return checked  # a section has keys; only its values may be words
        return {"anyOf": [checked, {"type": ["string", "number", "boolean", "null"]}]}

    def default_schema(self, schema: core_schema.WithDefaultSchema) -> JsonSchemaValue:
        """Show the default of a section too, which its class makes."""
        factory = schema.get("default_factory")
        if isinstance(factory, type) and issubclass(factory, Section):
            schema = {**schema, "default": factory()}
        return super().default_schema(schema)


def json_schema(kind: type[Section]) -> dict[str, Any]:
    """Return the JSON Schema of a file: every key with meaning, unit and allowed values."""
    schema = kind.model_json_schema(by_alias=True, schema_generator=_ForEditors)
    sections = [schema, *schema.get("$defs", {}).values()]
    for key in [each for section in sections for each in section.get("properties", {}).values()]:
        unit, allowed, _, _ = (key.pop(word, "") for word in ("unit", "allowed", "why", "shown"))
        remarks = "; ".join(filter(None, (unit, allowed)))
        if remarks:
            key["description"] = f"{key['description']} ({remarks})"
    return {"$schema": GenerateJsonSchema.schema_dialect, **schema}
