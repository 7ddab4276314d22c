"""Python values to JSON: what tools return and what they write to state."""

from __future__ import annotations

from typing import cast

from rolebook.json import JsonValue


def to_json(value: object) -> JsonValue:
    """The value as JSON, nothing shared with it. Models, dataclasses, sets, dates, enums and paths become what pydantic
    makes of them.

    NaN and the infinities become null, bytes base64. Raises TypeError, with a sentence for the model, for what JSON
    can't hold.
    """
    from pydantic_core import PydanticSerializationError, to_jsonable_python

    try:
        return cast(JsonValue, to_jsonable_python(value, inf_nan_mode="null", bytes_mode="base64"))
    except PydanticSerializationError as error:
        raise TypeError(f"{type(value).__name__} can't be written as JSON: {error}") from None
    except (ValueError, RecursionError):
        raise TypeError(f"this {type(value).__name__} holds itself and can't be written as JSON") from None
