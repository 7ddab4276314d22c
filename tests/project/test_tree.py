"""Trees: branches, inheritance, bad references, and which trees a file takes part in."""

from __future__ import annotations

from build import ROOT, snapshot, tree

from rolebook.project.discover import is_definition
from rolebook.project.snapshot import Snapshot


def test_branches_start_at_root() -> None:
    built = tree(
        "name: router\nsub_agents:\n  - config_path: kid.yaml\n", kid="name: weather\nsub_agents: [{name: hourly}]"
    )
    assert [place.branch for place in built] == ["root.router", "root.router.weather", "root.router.weather.hourly"]


def test_a_root_called_root_is_its_own_branch() -> None:
    assert [place.branch for place in tree("name: root\nsub_agents: [{name: a}]")] == ["root", "root.a"]


def test_model_and_global_instruction_are_inherited_from_the_nearest() -> None:
    built = tree(
        "name: a\nmodel: m1\nglobal_instruction: G1\nsub_agents:\n"
        "  - name: b\n    global_instruction: G2\n    sub_agents: [{name: c, model: m2}]\n  - name: d\n"
    )
    found = {}
    for place in built:
        inherited = built.global_instruction(place)
        found[place.agent.name] = (built.model(place), inherited and inherited[1].agent.name)
    assert found == {"a": ("m1", "a"), "b": ("m1", "b"), "c": ("m2", "b"), "d": ("m1", "a")}


def faults(files: dict[str, str]) -> list[tuple[str, str]]:
    built = snapshot(files).tree(f"{ROOT}/root_agent.yaml")
    assert built is not None
    return [(bad.reference.target, bad.fault) for bad in built.bad]


def test_bad_references_are_listed_and_the_rest_is_built() -> None:
    text = "name: a\nsub_agents:\n" + "".join(
        f"  - config_path: {path}\n"
        for path in ("nope.yaml", "../up.yaml", "/etc/passwd", "root_agent.yaml", "kid.yaml")
    )
    assert faults({"root_agent.yaml": text, "kid.yaml": "name: kid"}) == [
        ("nope.yaml", "missing"),
        ("../up.yaml", "escapes"),
        ("../up.yaml", "missing"),
        ("/etc/passwd", "absolute"),
        ("/etc/passwd", "missing"),
        ("root_agent.yaml", "cycle"),
    ]


def test_a_cycle_over_several_files_ends() -> None:
    kids = {f"k{i}.yaml": f"name: k{i}\nsub_agents: [{{config_path: k{(i + 1) % 3}.yaml}}]" for i in range(3)}
    assert faults({"root_agent.yaml": "name: a\nsub_agents: [{config_path: k0.yaml}]", **kids}) == [
        ("k0.yaml", "cycle")
    ]


def test_a_chain_of_a_thousand_files_is_followed() -> None:
    kids = {f"k{i}.yaml": f"name: k{i}\nsub_agents: [{{config_path: k{i + 1}.yaml}}]" for i in range(1000)}
    files = {"root_agent.yaml": "name: a\nsub_agents: [{config_path: k0.yaml}]", **kids, "k1000.yaml": "name: end"}
    built = snapshot(files).tree(f"{ROOT}/root_agent.yaml")
    assert built is not None and len(built.places) == 1002


def test_diamonds_stop_multiplying() -> None:
    kids = {
        f"k{i}.yaml": f"name: k{i}\nsub_agents: [{{config_path: k{i + 1}.yaml}}, {{config_path: k{i + 1}.yaml}}]"
        for i in range(40)
    }
    files = {"root_agent.yaml": "name: a\nsub_agents: [{config_path: k0.yaml}]", **kids, "k40.yaml": "name: end"}
    built = snapshot(files).tree(f"{ROOT}/root_agent.yaml")
    assert built is not None and len(built.places) <= 20_001
    assert {bad.fault for bad in built.bad} == {"too large"}


FAMILY = {
    "root_agent.yaml": "name: a\nsub_agents: [{config_path: team/b.yaml}]",
    "team/b.yaml": "name: b\nsub_agents: [{config_path: c.yaml}]",
    "team/c.yaml": "name: c",
    "team/other.yaml": "name: other\nagent_class: LoopAgent\nsub_agents: [{config_path: c.yaml}]",
}


def test_a_file_takes_part_in_every_tree_that_names_it() -> None:
    trees = snapshot(FAMILY).trees_with(f"{ROOT}/team/c.yaml")
    assert sorted(built.root.agent.name for built in trees) == ["a", "other"]


def test_what_is_a_definition() -> None:
    made = snapshot(
        {**FAMILY, "compose.yaml": "services: {}", "x.agent.yaml": "", "loose.yaml": "agent_class: LoopAgent"}
    )
    verdicts = {
        name: is_definition(made, f"{ROOT}/{name}")
        for name in ("team/c.yaml", "compose.yaml", "x.agent.yaml", "loose.yaml")
    }
    assert verdicts == {"team/c.yaml": True, "compose.yaml": False, "x.agent.yaml": True, "loose.yaml": True}


def shape(made: Snapshot, path: str) -> object:
    return [(place.agent, place.branch) for built in made.trees_with(path) for place in built]


def test_an_edited_snapshot_equals_a_fresh_one_and_leaves_the_old_alone() -> None:
    path = f"{ROOT}/team/c.yaml"
    old = snapshot(FAMILY)
    before = shape(old, path)
    texts = {f"{ROOT}/team/b.yaml": "name: b2", f"{ROOT}/team/d.yaml": "name: d\nsub_agents: [{config_path: c.yaml}]"}
    new = old.with_texts(texts)
    fresh = snapshot({**FAMILY, "team/b.yaml": "name: b2", "team/d.yaml": texts[f"{ROOT}/team/d.yaml"]})
    assert shape(new, path) == shape(fresh, path) != before
    assert shape(old, path) == before
    assert new.source(path) is old.source(path)


def test_an_agent_used_as_a_tool_has_a_place_but_no_parent() -> None:
    built = tree(
        "name: a\nmodel: m\ntools:\n  - name: AgentTool\n    args: {agent: {config_path: kid.yaml}}\n"
        "  - name: AgentTool\n    args: {agent: {config_path: gone.yaml}}\nsub_agents: [{name: b}]\n",
        kid="name: kid\nsub_agents: [{name: b}]",
    )
    kid = built.named("kid")
    assert kid is not None and kid.tool_of == 0 and built.parent(kid) is None
    assert built.model(kid) is None and built.transfer_targets(kid) == built.children(kid)
    assert [target.agent.name for target in built.transfer_targets(built.root)] == ["b"]
    assert [(bad.reference.target, bad.fault) for bad in built.bad] == [("gone.yaml", "missing")]
    assert built.namesakes == ()


def test_the_files_of_a_workflows_edges_are_its_agents() -> None:
    built = tree(
        "agent_class: Workflow\nname: w\nedges:\n  - [START, .agent.begin, kid.yaml]\n"
        "  - [.agent.route, {again: kid.yaml, stop: gone.yaml}]\n",
        kid="name: kid\ninstruction: Hi {topic}",
    )
    assert [place.agent.name for place in built] == ["w", "kid"]
    assert [bad.reference.target for bad in built.bad] == ["gone.yaml"]
    assert built.root.agent.edge_functions == (".agent.begin", ".agent.route")


def test_a_target_is_known_without_the_list_of_targets() -> None:
    leaf = "[{name: g, disallow_transfer_to_parent: true}, {name: h, agent_class: SequentialAgent}, {name: ''}]"
    built = tree(
        "name: a\ntools: [{name: AgentTool, args: {agent: {config_path: kid.yaml}}}]\nsub_agents:\n"
        f"  - {{name: b, disallow_transfer_to_peers: true, sub_agents: {leaf}}}\n"
        "  - {name: c, agent_class: LoopAgent, sub_agents: [{name: d}, {name: e}]}\n  - {name: f}\n",
        kid="name: kid\nsub_agents: [{name: i}, {name: j}]",
    )
    assert len(built.places) == 12
    for place in built:
        listed = {target.index for target in built.transfer_targets(place)}
        assert {target.index for target in built if built.is_target(place, target)} == listed, place.agent.name
