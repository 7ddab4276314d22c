"""One call of a user's function: arguments checked and converted by pydantic, `context` put in by name, awaited."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from typing import Annotated, Any

from rolebook.json import JsonObject, JsonValue
from rolebook_runner.context import Context
from rolebook_runner.declare import hints_of, is_passed
from rolebook_runner.declare_types import is_field
from rolebook_runner.jsonable import to_json
from rolebook_runner.tools.their_loop import in_their_loop
from rolebook_runner.tools.threads import in_thread


class BadArguments(Exception):
    """Arguments that don't fit the function; the message tells the model which and why."""


async def call_tool(function: Callable[..., Any], args: JsonObject, context: Context) -> JsonValue:
    """What the function returns for these arguments, as JSON.

    To check arguments and to read results may run the user's code as well (validators, serializers), so that is done
    in a thread too. Raises BadArguments where the arguments don't fit, TypeError where the result is no JSON, and
    whatever the function raises.
    """
    positional, named = await in_thread(functools.partial(bind, function, args, context))
    result = await invoke(function, *positional, **named)
    return await in_thread(functools.partial(to_json, result))


async def invoke(function: Callable[..., Any], *args: object, **named: object) -> object:
    """The function's result, that of a generator as a list.

    What is async runs on an event loop for all such functions, anything else in a thread of its own.
    """
    inner = _inner(function)
    if inspect.isasyncgenfunction(inner):
        return await in_their_loop(functools.partial(_collected, function, *args, **named))
    if inspect.iscoroutinefunction(inner):
        return await in_their_loop(functools.partial(function, *args, **named))
    result = await in_thread(functools.partial(_completed, function, *args, **named))
    return await in_their_loop(lambda: result) if inspect.isawaitable(result) else result


async def _collected(function: Callable[..., Any], *args: object, **named: object) -> list[object]:
    return [item async for item in function(*args, **named)]


def _completed(function: Callable[..., Any], *args: object, **named: object) -> object:
    result = function(*args, **named)
    return list(result) if inspect.isgenerator(result) else result


def _inner(function: Callable[..., Any]) -> Callable[..., Any]:
    """The function with the code: behind a partial, or the `__call__` of an object."""
    if isinstance(function, functools.partial):
        return _inner(function.func)
    if inspect.isroutine(function) or inspect.isclass(function):
        return function
    return type(function).__call__


def bind(function: Callable[..., Any], args: JsonObject, context: Context) -> tuple[list[object], dict[str, object]]:
    """The arguments of a call, positional and named, converted to the types that the parameters are annotated with.

    Raises BadArguments, which tells all that is wrong at once, since each round with the model costs a call.
    """
    parameters = inspect.signature(function).parameters.values()
    hints = hints_of(function)
    positional: list[object] = []
    named: dict[str, object] = {}
    problems: list[str] = []
    left = dict(args)
    for parameter in parameters:
        name, hint = parameter.name, hints.get(parameter.name, parameter.annotation)
        if parameter.kind in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD):
            continue
        if is_passed(name, hint):
            value: object = context
        elif name in left:
            value = _convert(parameter, hint, left.pop(name), problems)
        elif not _is_required(parameter):
            value = _default(parameter)
        else:
            problems.append(f"`{name}` is missing")
            continue
        if parameter.kind is parameter.POSITIONAL_ONLY:
            positional.append(value)
        else:
            named[name] = value
    if any(parameter.kind is parameter.VAR_KEYWORD for parameter in parameters):
        named.update(left)
    else:
        problems += [f"there is no parameter `{name}`" for name in left]
    if problems:
        raise BadArguments("; ".join(problems))
    return positional, named


def _is_required(parameter: inspect.Parameter) -> bool:
    default = parameter.default
    return default is parameter.empty or (is_field(default) and default.is_required())


def _default(parameter: inspect.Parameter) -> object:
    default = parameter.default
    return default.get_default(call_default_factory=True) if is_field(default) else default


def _convert(parameter: inspect.Parameter, hint: Any, value: JsonValue, problems: list[str]) -> object:
    from pydantic import PydanticUserError, ValidationError

    if hint is parameter.empty or isinstance(hint, str):  # not annotated, or by a name without a value here
        return value
    kind = Annotated[hint, parameter.default] if is_field(parameter.default) else hint
    try:
        return _adapter(kind).validate_python(value)
    except ValidationError as error:
        for problem in error.errors(include_url=False, include_input=False, include_context=False):
            path = ".".join([parameter.name, *map(str, problem["loc"])])
            problems.append(f"`{path}`: {problem['msg']}")
        return None
    except (PydanticUserError, NameError):
        return value  # an annotation that pydantic knows nothing about says nothing about the value


def _adapter(hint: Any) -> Any:
    try:
        return _remembered_adapter(hint)
    except TypeError:  # a hint that can't be hashed
        return _new_adapter(hint)


def _new_adapter(hint: Any) -> Any:
    from pydantic import TypeAdapter

    return TypeAdapter(hint)


_remembered_adapter = functools.lru_cache(maxsize=1_000)(_new_adapter)
