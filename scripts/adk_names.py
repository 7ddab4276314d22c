"""Makes `compiler/rolebook/definition/adk_names.json`: google-adk's public names with their kinds, and its schemas.

Run it with a Python that has google-adk (and `mcp`, without which its MCP tools can't be imported):

    python3 -m venv /tmp/adk && /tmp/adk/bin/pip install google-adk==2.13.0 mcp
    /tmp/adk/bin/python scripts/adk_names.py > compiler/rolebook/definition/adk_names.json

Everything in the file is asked of google-adk itself:

- `modules`: what each public module defines or offers, by kind. `KIND:CLASS` names the class of an agent or a tool
  where it isn't called like that, and `unknown` is what can't be imported without some extra.
- `agents`: the schema against which an agent class holds a file, and the keys that may not be null although the schema
  says so, since the class itself takes none. A class without a schema gets one of its plain fields.
- `tools`: how a tool class is made from `args`: by a schema of its own, or by the parameters of its constructor.
- `schemas`: pydantic's own JSON Schemas, without prose. `camel` marks those whose keys are known in camelCase too.
- `blocked`: the top-level modules that google-adk imports nothing from; `installed`: those that come along with it.
"""

from __future__ import annotations

import ast
import datetime
import importlib
import importlib.util
import inspect
import json
import pkgutil
import sys
import types
import warnings
from collections.abc import Iterator
from importlib.metadata import packages_distributions
from typing import Any, get_args, get_type_hints

import google.adk
from google.adk.agents import config_agent_utils
from google.adk.agents.base_agent import BaseAgent
from google.adk.tools import base_tool
from google.adk.tools.base_tool import BaseTool
from google.adk.tools.base_toolset import BaseToolset
from google.adk.version import __version__
from google.adk.workflow import BaseNode, Workflow
from google.genai import types as genai
from pydantic import BaseModel, TypeAdapter
from pydantic.errors import PydanticSchemaGenerationError, PydanticUserError
from pydantic.json_schema import GenerateJsonSchema, models_json_schema

_PLAIN = {"string", "integer", "number", "boolean", "null"}


class _Lenient(GenerateJsonSchema):
    """What JSON can't say (a callable, an instance of some class) becomes a schema that takes anything."""

    def handle_invalid_for_json_schema(self, schema: Any, error_info: str) -> dict[str, Any]:  # noqa: ARG002
        return {}


def main() -> None:
    warnings.simplefilter("ignore")
    modules = {name: _by_kind(found) for name, found in _modules()}
    classes = sorted(_classes(), key=lambda cls: cls.__name__)
    configs = {cls for cls in map(_config_of, classes) if cls is not None}
    _, made = models_json_schema(
        [(cls, "validation") for cls in sorted(configs, key=lambda cls: cls.__name__)],
        by_alias=False,
        schema_generator=_Lenient,
    )
    schemas = {name: _bare(name, schema) for name, schema in made["$defs"].items()}
    schemas["Workflow"] = _plain_fields(Workflow)
    _print(
        {
            "google-adk": __version__,
            "made": datetime.date.today().isoformat(),
            "modules": modules,
            "agents": {cls.__name__: _agent(cls) for cls in classes if issubclass(cls, BaseNode)},
            "tools": {cls.__name__: _tool(cls) for cls in classes if not issubclass(cls, BaseNode)},
            "schemas": schemas,
            "blocked": sorted(config_agent_utils._BLOCKED_MODULES | set(sys.stdlib_module_names)),
            "installed": sorted(name for name in packages_distributions() if name.isidentifier()),
        }
    )


def _print(data: dict[str, Any]) -> None:
    """JSON with a line for each entry, so that two versions can be compared."""
    sections = []
    for name, value in data.items():
        if isinstance(value, dict):
            lines = [f"  {_json(key)}: {_json(inner)}" for key, inner in value.items()]
            sections.append(f" {_json(name)}: {{\n" + ",\n".join(lines) + "\n }")
        else:
            sections.append(f" {_json(name)}: {_json(value)}")
    sys.stdout.write("{\n" + ",\n".join(sections) + "\n}\n")


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def _modules() -> Iterator[tuple[str, dict[str, str]]]:
    """Every public module of google-adk with the kinds of its names; one that lacks an extra is only read."""
    yield "google.adk", _names(google.adk)
    for found in pkgutil.walk_packages(google.adk.__path__, "google.adk."):
        if "._" in found.name or found.name.startswith("google.adk.cli"):
            continue
        try:
            module = importlib.import_module(found.name)
        except Exception:
            yield found.name, _written(found.name)
            continue
        yield found.name, _names(module)


def _names(module: types.ModuleType) -> dict[str, str]:
    """What the module defines itself, and what a package offers of its modules."""
    found = {}
    for name in dir(module):
        if name.startswith("_") or name == "TYPE_CHECKING":
            continue
        try:
            value = getattr(module, name)
        except Exception:  # a lazy name whose library isn't installed
            found[name] = "unknown"
            continue
        home = str(getattr(value, "__module__", None) or module.__name__)
        offers = hasattr(module, "__path__") and home.startswith("google.adk.")
        if not isinstance(value, types.ModuleType) and (home == module.__name__ or offers):
            found[name] = _kind(name, value)
    return found


def _by_kind(found: dict[str, str]) -> dict[str, list[str]]:
    return {kind: sorted(name for name in found if found[name] == kind) for kind in sorted(set(found.values()))}


def _kind(name: str, value: object) -> str:
    if inspect.isclass(value):
        for base, kind in ((BaseNode, "agent class"), (BaseToolset, "toolset class"), (BaseTool, "tool class")):
            if issubclass(value, base):
                return kind if name == value.__name__ else f"{kind}:{value.__name__}"
        return "class"
    if isinstance(value, BaseTool | BaseToolset):
        return "tool"
    if isinstance(value, BaseNode):
        return "agent"
    return "function" if callable(value) else "value"


def _written(name: str) -> dict[str, str]:
    """The names that the source of a module binds at its margin."""
    spec = importlib.util.find_spec(name)
    if spec is None or spec.origin is None:
        return {}
    with open(spec.origin, encoding="utf-8") as file:
        tree = ast.parse(file.read())
    found = {}
    for node in tree.body:
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            found[node.name] = "unknown"
        for target in node.targets if isinstance(node, ast.Assign) else ():
            if isinstance(target, ast.Name):
                found[target.id] = "unknown"
    return {name: kind for name, kind in found.items() if not name.startswith("_")}


def _classes() -> set[type]:
    """All agent and tool classes of google-adk that have been imported."""
    found: set[type] = set()
    pending: list[type] = [BaseNode, BaseTool, BaseToolset]
    while pending:
        cls = pending.pop()
        if cls not in found and cls.__module__.startswith("google.adk."):
            found.add(cls)
            pending += cls.__subclasses__()
    return found


def _config_of(cls: type) -> type[BaseModel] | None:
    """The pydantic model against which an agent class, or a tool class with its own `from_config`, holds its input."""
    if issubclass(cls, BaseNode):
        config = getattr(cls, "config_type", None)
        return config if isinstance(config, type) and issubclass(config, BaseModel) else None
    owner = next(base for base in cls.__mro__ if "from_config" in vars(base))
    return getattr(sys.modules[owner.__module__], f"{owner.__name__}Config", None)


def _agent(cls: type[BaseNode]) -> dict[str, Any]:
    config = _config_of(cls)
    if config is None:
        return {"schema": "Workflow"} if cls is Workflow else {}
    nullable = [key for key, field in config.model_fields.items() if type(None) in get_args(field.annotation)]
    never_null = [key for key in nullable if not _takes_null(cls, key)]
    return {"schema": config.__name__, **({"never_null": never_null} if never_null else {})}


def _takes_null(cls: type[BaseNode], key: str) -> bool:
    name = key.removesuffix("s") if key.endswith("_callbacks") else key.removesuffix("_code")
    field = cls.model_fields.get(name)
    if field is None or not issubclass(cls, BaseAgent):
        return True
    try:
        cls.__pydantic_validator__.validate_assignment(cls.model_construct(name="a"), name, None)
    except ValueError:
        return False
    except Exception:
        return True
    return True


def _tool(cls: type) -> dict[str, Any]:
    config = _config_of(cls)
    if config is not None:
        return {"schema": config.__name__}
    if issubclass(cls, BaseToolset):
        return {}
    try:
        hints = get_type_hints(cls.__init__)
    except Exception:
        return {"any": True}
    named = [p for p in inspect.signature(cls.__init__).parameters.values() if p.name != "self"]
    kinds = (inspect.Parameter.VAR_KEYWORD, inspect.Parameter.VAR_POSITIONAL)
    return {
        "parameters": {
            p.name: {
                **({"required": True} if p.default is p.empty else {}),
                **({"callable": True} if base_tool._is_callable_annotation(hints.get(p.name)) else {}),
            }
            for p in named
            if p.kind not in kinds
        }
    }


def _plain_fields(cls: type[BaseNode]) -> dict[str, Any]:
    """A schema of the fields of a node class that a YAML value fills as it is; it forbids no other key."""
    properties = {}
    for name, field in cls.model_fields.items():
        try:
            schema = TypeAdapter(field.annotation).json_schema(mode="validation")
        except (PydanticUserError, PydanticSchemaGenerationError):
            continue
        options = schema.get("anyOf", [schema])
        if all(option.get("type") in _PLAIN for option in options):
            properties[name] = _without_prose(schema)
    required = [name for name, field in cls.model_fields.items() if field.is_required()]
    return {"type": "object", "properties": properties, "required": required}


def _bare(name: str, schema: dict[str, Any]) -> dict[str, Any]:
    """A schema without prose. An enumeration of google-genai takes any text: it warns of an unknown one."""
    bare = _without_prose(schema)
    cls = getattr(genai, name, None)
    if cls is not None and "enum" in bare:
        return {"type": "string"}
    if cls is not None and bare.get("type") == "object":
        bare["camel"] = True
    return bare


def _without_prose(schema: Any) -> Any:
    if isinstance(schema, list):
        return [_without_prose(item) for item in schema]
    if not isinstance(schema, dict):
        return schema
    kept = {key: value for key, value in schema.items() if key not in ("title", "description", "default", "format")}
    if isinstance(properties := kept.get("properties"), dict):
        kept["properties"] = {name: _without_prose(value) for name, value in properties.items()}
    return {key: value if key == "properties" else _without_prose(value) for key, value in kept.items()}


if __name__ == "__main__":
    main()
