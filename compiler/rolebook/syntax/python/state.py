"""What a function does to its session, read from its body: the keys of state that it sets (spec §7), and whether it
ends a loop.

State is `X.state` or `X.state_delta` of any receiver, a parameter `state`, and a name that was given one of these.
A key is known when it is a string, or a name that the module gives one string and the function doesn't rebind.
What is done with state in another function isn't seen here: a call that is given the state may set any key, and calls
that are given the context are named, so that they can be followed.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from rolebook.record import Record
from rolebook.syntax.python.literals import string
from rolebook.syntax.python.nodes import StateWrite
from rolebook.syntax.python.tree import Tree, TsNode, descendants, identifiers

_HOLDERS = ("state", "state_delta")
_BINDERS = {"assignment": "left", "named_expression": "name", "for_statement": "left", "for_in_clause": "left"}

_CONTEXTS = frozenset({"context", "ctx", "tool_context", "callback_context", "invocation_context"})
"""Parameters by which a function gets its context."""
_READERS = frozenset(
    {"bool", "dict", "dumps", "format", "getattr", "hasattr", "info", "debug", "id", "isinstance", "len", "list"}
    | {"print", "repr", "set", "sorted", "str", "tuple", "type", "warning", "deepcopy", "copy", "error", "exception"}
)
"""Functions that set nothing in what they are given."""

_COMPUTED = None
_Key = TsNode | StateWrite | None
"""What a write names its key by: the node of the key, a keyword argument's name, or nothing that can be read."""


def state_writes(
    tree: Tree, body: TsNode | None, parameters: frozenset[str], constants: Mapping[str, str]
) -> tuple[tuple[StateWrite, ...], bool]:
    """The keys that `body` sets, in order, and whether it sets others that are computed.

    `constants` are the strings that the module names. A key counts wherever it stands, also in a nested function.
    """
    if body is None or "state" not in tree.text(body):
        return (), False
    nodes = list(descendants(body))
    scope = _scope(tree, nodes, parameters, constants)
    writes, computed = [], False
    for node in nodes:
        for key in _keys(scope, node):
            known = scope.read(key)
            if known is not None:
                writes.append(known)
            else:
                computed = True
    return tuple(writes), computed


def helpers(tree: Tree, body: TsNode | None, parameters: frozenset[str]) -> tuple[str, ...]:
    """What `body` calls with the function's own context, by its names as they are written there, each once."""
    contexts = _CONTEXTS & parameters
    if body is None or not contexts:
        return ()
    found: dict[str, None] = {}
    for node in descendants(body):
        function = node.child_by_field_name("function") if node.type == "call" else None
        if function is None or _called(tree, function) in _READERS:
            continue
        if any(value.type == "identifier" and tree.name(value) in contexts for value in _values(node)):
            found["".join(tree.text(function).split())] = None
    return tuple(found)


def escalates(tree: Tree, body: TsNode | None) -> bool:
    """Whether `body` sets `escalate` on something (`context.actions.escalate = True`), which ends the loop around the
    agent, as `EventActions(escalate=True)` does."""
    if body is None or "escalate" not in tree.text(body):
        return False
    for node in descendants(body):
        named = {"assignment": "left", "keyword_argument": "name"}.get(node.type)
        target = node.child_by_field_name(named) if named is not None else None
        if target is not None and target.type == "attribute":
            target = target.child_by_field_name("attribute")
            if target is not None and tree.name(target) == "escalate":
                return True
        elif node.type == "keyword_argument" and target is not None and tree.name(target) == "escalate":
            return True
    return False


class _Scope(Record):
    tree: Tree
    holders: frozenset[str]
    constants: Mapping[str, str]

    def is_state(self, node: TsNode | None) -> bool:
        while node is not None and node.type == "parenthesized_expression" and node.named_child_count == 1:
            node = node.named_children[0]
        if node is not None and node.type == "identifier":
            return self.tree.name(node) in self.holders
        return node is not None and _holds_state(self.tree, node)

    def read(self, key: _Key) -> StateWrite | None:
        if key is None or isinstance(key, StateWrite):
            return key
        if key.type == "identifier":
            text = self.constants.get(self.tree.name(key))
        else:
            text = string(self.tree, key)
        return StateWrite(text, self.tree.span(key)) if text is not None else None


def _scope(tree: Tree, nodes: list[TsNode], parameters: frozenset[str], constants: Mapping[str, str]) -> _Scope:
    holders = {"state"} & parameters
    bound = set(parameters)
    for node in nodes:
        target = node.child_by_field_name(_BINDERS[node.type]) if node.type in _BINDERS else None
        if target is None:
            continue
        names = {tree.name(name) for name in identifiers(target)}
        bound |= names
        value = node.child_by_field_name("right") or node.child_by_field_name("value")
        if target.type == "identifier" and value is not None and _holds_state(tree, value):
            holders |= names
    return _Scope(tree, frozenset(holders), {name: text for name, text in constants.items() if name not in bound})


def _holds_state(tree: Tree, node: TsNode) -> bool:
    attribute = node.child_by_field_name("attribute") if node.type == "attribute" else None
    return attribute is not None and tree.name(attribute) in _HOLDERS


def _keys(scope: _Scope, node: TsNode) -> Iterator[_Key]:
    match node.type:
        case "assignment":
            yield from _targets(scope, node.child_by_field_name("left"))
        case "augmented_assignment":
            left, operator = node.child_by_field_name("left"), node.child_by_field_name("operator")
            if operator is not None and operator.type == "|=" and scope.is_state(left):
                yield from _mapping(node.child_by_field_name("right"))
            else:
                yield from _targets(scope, left)
        case "call":
            yield from _call(scope, node)


def _targets(scope: _Scope, left: TsNode | None) -> Iterator[_Key]:
    if left is None:
        return
    if left.type in ("pattern_list", "tuple_pattern", "list_pattern"):
        for target in left.named_children:
            yield from _targets(scope, target)
    elif left.type == "subscript" and scope.is_state(left.child_by_field_name("value")):
        keys = left.children_by_field_name("subscript")
        yield keys[0] if len(keys) == 1 else _COMPUTED


def _call(scope: _Scope, call: TsNode) -> Iterator[_Key]:
    function, given = call.child_by_field_name("function"), call.child_by_field_name("arguments")
    if function is None or given is None or given.type != "argument_list":
        return
    name = _called(scope.tree, function)
    arguments = [child for child in given.named_children if child.type != "comment"]
    if name == "set_state":
        yield _first(scope, arguments)
    elif name in ("update", "setdefault") and scope.is_state(function.child_by_field_name("object")):
        yield from _update(scope, arguments) if name == "update" else (_first(scope, arguments),)
    elif name not in _READERS and any(scope.is_state(value) for value in _values(call)):
        yield _COMPUTED
    for argument in arguments:
        keyword = argument.child_by_field_name("name") if argument.type == "keyword_argument" else None
        if keyword is not None and scope.tree.name(keyword) == "state_delta":
            yield from _mapping(argument.child_by_field_name("value"))


def _called(tree: Tree, function: TsNode) -> str:
    """The last name of what is called, "" for no name."""
    named = function.child_by_field_name("attribute") if function.type == "attribute" else function
    return tree.name(named) if named is not None and named.type == "identifier" else ""


def _values(call: TsNode) -> Iterator[TsNode]:
    """The arguments of a call, without the names of those that have one."""
    given = call.child_by_field_name("arguments")
    for argument in given.named_children if given is not None and given.type == "argument_list" else ():
        value = argument.child_by_field_name("value") if argument.type == "keyword_argument" else argument
        if value is not None:
            yield value


def _first(scope: _Scope, arguments: list[TsNode]) -> _Key:
    """The key of `f(key, value)`, which may be passed by name."""
    if not arguments:
        return _COMPUTED
    for argument in arguments:
        keyword = argument.child_by_field_name("name") if argument.type == "keyword_argument" else None
        if keyword is not None and scope.tree.name(keyword) == "key":
            return argument.child_by_field_name("value")
    return arguments[0]


def _update(scope: _Scope, arguments: list[TsNode]) -> Iterator[_Key]:
    for argument in arguments:
        keyword = argument.child_by_field_name("name") if argument.type == "keyword_argument" else None
        if keyword is not None:
            yield StateWrite(scope.tree.name(keyword), scope.tree.span(keyword))
        elif argument.type == "dictionary_splat":
            yield _COMPUTED
        else:
            yield from _mapping(argument)


def _mapping(node: TsNode | None) -> Iterator[_Key]:
    """The keys that a mapping brings in: known one by one where it is written out, else computed as a whole."""
    if node is None or node.type != "dictionary":
        yield _COMPUTED
        return
    for pair in node.named_children:
        if pair.type != "comment":
            yield pair.child_by_field_name("key") if pair.type == "pair" else _COMPUTED
