"""Python source to the types, signatures and declarations that the functions in it would give at run time."""

from __future__ import annotations

from rolebook.definition.python.annotations import type_of
from rolebook.definition.python.functions import read_signature
from rolebook.definition.python.scope import Context, External, Load, Local, Scope

__all__ = ["Context", "External", "Load", "Local", "Scope", "read_signature", "type_of"]
