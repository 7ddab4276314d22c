"""Which state keys a function is seen to set (spec §7)."""

import pytest

from rolebook.syntax.python import Function, parse_module
from rolebook.text import Text

CASES = [
    ('ctx.state["k"] = 1', ["k"], False),
    ("ctx.state['user:k'] += 1", ["user:k"], False),
    ('ctx.session.state["k"] = 1', ["k"], False),
    ('ctx.state["a"], (b, ctx.state["c"]) = 1, (2, 3)', ["a", "c"], False),
    ('a = ctx.state["k"] = 1', ["k"], False),
    ('ctx.state["k"]: int = 1', ["k"], False),
    ('state["k"] = 1', ["k"], False),
    ('s = ctx.state\ns["k"] = 1', ["k"], False),
    ("s: dict = ctx.state\ns.update(k=1)", ["k"], False),
    ('if (s := ctx.state):\n    s["k"] = 1', ["k"], False),
    ('d = ctx.actions.state_delta\nd["k"] = 1', ["k"], False),
    ('other["k"] = 1', [], False),
    ('x = ctx.state["k"]', [], False),
    ('ctx.state["a"]["b"] = 1', [], False),
    ('del ctx.state["k"]', [], False),
    ('ctx.state.get("k")', [], False),
    ('ctx.states["k"] = 1', [], False),
    ("ctx.state = {}", [], False),
    ('ctx.state.update({"a": 1, "b": 2})', ["a", "b"], False),
    ('ctx.state.update({"a": 1}, b=2)', ["a", "b"], False),
    ("ctx.state.update(a=1)", ["a"], False),
    ("ctx.state.update()", [], False),
    ('ctx.state |= {"a": 1}', ["a"], False),
    ('ctx.state.setdefault("k", [])', ["k"], False),
    ('ctx.actions.state_delta["k"] = 1', ["k"], False),
    ('ctx.actions.state_delta.update({"k": 1})', ["k"], False),
    ('set_state("k", 1)', ["k"], False),
    ('ctx.set_state(value=1, key="k")', ["k"], False),
    ('EventActions(state_delta={"k": 1})', ["k"], False),
    ('Event(actions=EventActions(state_delta={"k": 1, **more}))', ["k"], True),
    ("EventActions(state_delta=delta)", [], True),
    ("ctx.state[key] = 1", [], True),
    ('ctx.state[f"k{x}"] = 1', [], True),
    ('ctx.state["a" + b] = 1', [], True),
    ("ctx.state[1] = 1", [], True),
    ("ctx.state.update(other)", [], True),
    ("ctx.state.update(**other)", [], True),
    ('ctx.state.update({key: 1, "a": 2})', ["a"], True),
    ("ctx.state.setdefault(key, 1)", [], True),
    ("set_state(key, 1)", [], True),
    ('ctx.state["a" "b"] = 1', ["ab"], False),
    ("ctx.state[KEY] = 1", ["the key"], False),
    ("ctx.state[TWICE] = 1", [], True),
    ("KEY = x()\nctx.state[KEY] = 1", [], True),
    ("for KEY in x:\n    ctx.state[KEY] = 1", [], True),
    ('def inner():\n    ctx.state["k"] = 1\ninner()', ["k"], False),
    ('ctx.state["é🙂"] = 1', ["é🙂"], False),
]


@pytest.mark.parametrize(("body", "keys", "computed"), CASES, ids=[case[0] for case in CASES])
def test_state_writes(body: str, keys: list[str], computed: bool) -> None:
    indented = body.replace("\n", "\n    ")
    source = f'KEY = "the key"\nTWICE = "a"\nTWICE = "b"\ndef ünit(ctx, state, key):\n    {indented}\n'
    function = parse_module(source).find("ünit")
    assert isinstance(function, Function)
    assert [write.key for write in function.writes] == keys
    assert function.writes_any is computed
    for write in function.writes:
        assert Text(source)[write.span].strip("\"'") in (write.key, "KEY", 'a" "b')


def test_a_name_is_state_only_where_it_was_given_it() -> None:
    module = parse_module('def f(ctx):\n    state["k"] = 1\ndef g(state):\n    state["k"] = 1\n')
    assert [[write.key for write in function.writes] for function in module.functions] == [[], ["k"]]


def test_methods_write_too() -> None:
    module = parse_module('class A:\n    async def f(self, ctx):\n        ctx.state["k"] = 1\n')
    assert [(function.path, function.writes[0].key) for function in module.functions] == [("A.f", "k")]


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("ctx.actions.escalate = True", True),
        ("tool_context.actions.escalate = done", True),
        ("yield Event(actions=EventActions(escalate=True))", True),
        ("escalate = True", False),
        ("return ctx.actions.escalate", False),
        ('return "escalate"', False),
    ],
)
def test_what_ends_a_loop(body: str, expected: bool) -> None:
    (function,) = parse_module(f"def tool(ctx, done):\n    {body}\n").functions
    assert function.escalates is expected
