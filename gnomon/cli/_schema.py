"""``gnomon schema``: the JSON Schema of each kind of user file, for editors."""

import json
from pathlib import Path
from pkgutil import resolve_name
from typing import Any, Literal, get_args

from pydantic.json_schema import GenerateJsonSchema, JsonSchemaValue
from pydantic_core import core_schema

from gnomon.arch import Architecture
from gnomon.base.errors import GnomonError, require_known
from gnomon.base.files import write_files
from gnomon.base.keys import keys_of
from gnomon.base.schema import Section, whole_number
from gnomon.cli._answer import CommandOutput, with_json_output
from gnomon.cli._options import argument, option

Kind = Literal[
    "machine",
    "kernel",
    "learner",
    "unit",
    "device",
    "study",
    "sweep",
    "budget",
    "deploy",
    "pipeline",
]
KINDS: tuple[Kind, ...] = get_args(Kind)
PROGRAM_OF_STAGE: list[dict[str, Any]] = [
    {"type": "string"},
    {"type": "object", "properties": {
        "sources": {"type": ["string", "array"], "items": {"type": "string"}},
        "file": {"type": "string", "description": "path of an ELF file"},
        "region": {"type": "string", "description": "function that is measured, on hart 0"},
        "defines": {"type": ["object", "array", "string"]},
        "include": {"type": ["string", "array"], "items": {"type": "string"}},
        "optimize": {"type": ["string", "integer"]},
        "compiler": {"enum": ["zig", "gcc"]},
        "max-cycles": {"type": "integer", "minimum": 1},
        "operands": {"type": "string"},
    }, "additionalProperties": False},
]  # fmt: skip
"""What a stage takes as ``program``, for editors."""
_MODELS = {
    "kernel": "gnomon.measure.kernels:KernelFile",
    "learner": "gnomon.learn.algorithm:Algorithm",
    "unit": "gnomon.arch.units.file:UnitFile",
    "device": "gnomon.arch.devices.file:DeviceFile",
    "study": "gnomon.report.study_file:StudyFile",
}


@with_json_output()
def schema(
    kind: str | None = argument("KIND", f"One of {', '.join(KINDS)}.", None),
    *,
    out: Path | None = option("--out FOLDER", "Folder for KIND.schema.json of each kind.", None),
) -> CommandOutput:
    """Print the JSON Schema of a kind of file; editors use it to complete and check keys.

    --out writes it as a file: of one kind, or of all.
    """
    if kind is None and out is None:
        raise GnomonError(f"KIND is missing (one of {', '.join(KINDS)}), or --out for all kinds")
    if kind is not None:
        require_known("kind of file", kind, KINDS)
    wanted = {each: schema_of(each) for each in ([kind] if kind is not None else KINDS)}
    if out is None:
        (one,) = wanted.values()
        yield one, [json.dumps(one, indent=2)]
        return
    texts = {f"{name}.schema.json": json.dumps(each, indent=2) + "\n"
             for name, each in wanted.items()}  # fmt: skip
    files = [str(path) for path in write_files(out, texts)]
    yield {"files": files}, files


def schema_of(kind: str) -> dict[str, Any]:
    """Return the JSON Schema of one of ``KINDS``."""
    if kind in _MODELS:
        return json_schema(resolve_name(_MODELS[kind]))
    several = {"machine": _machine, "sweep": _sweep, "budget": _budget, "deploy": _deployment,
               "pipeline": _pipeline}  # fmt: skip
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


def _pipeline() -> dict[str, Any]:
    from gnomon.deploy.pipeline_file import PipelineFile

    made = json_schema(PipelineFile)
    made["properties"]["set"]["properties"] = _keys()
    stage = made["$defs"]["StageKeys"]["properties"]
    for workload in ("kernel", "learner"):
        stage[workload] |= {
            "type": "object",
            "properties": {"name": {"description": f"name of the {workload}"}}
            | _settings(workload),
        }
    stage["program"]["anyOf"] = PROGRAM_OF_STAGE
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
