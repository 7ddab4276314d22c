"""Transfers that an instruction names, in code or in plain English. Precision comes before recall.

A name counts where it is the argument of `transfer_to_agent`, or follows a verb of handing over and `to`: in code or
quotes, as an identifier such as `billing_agent`, or beside the word "agent". So "transfer the money to support" names
nobody. A text in another language is silent unless it calls `transfer_to_agent`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Literal, NamedTuple, TypeAlias

TRANSFER_TOOL = "transfer_to_agent"

Written: TypeAlias = Literal["call", "quoted", "plain"]


class Mention(NamedTuple):
    """A name, where it stands in the text, and how it is written. `is_agent` tells that the text calls it an agent."""

    name: str
    start: int
    end: int
    written: Written
    is_agent: bool = False


class _Token(NamedTuple):
    """A word, a quoted name, a stop (the end of a sentence or item) or any other character."""

    kind: str
    text: str
    start: int
    end: int

    @property
    def lower(self) -> str:
        return self.text.lower()


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


_NAME = r"[^\W\d][\w-]*"
_TOKEN = re.compile(
    rf"(?P<quoted>`{_NAME}`|\"{_NAME}\"|'{_NAME}'(?!\w)|“{_NAME}”|‘{_NAME}’|\*\*{_NAME}\*\*)"
    r"|(?P<word>\w+(?:-\w+)*(?:['’]\w+)?)"
    r"|(?P<stop>[.!?;](?=\s|$)|\n\s*\n|\n[ \t]*(?:[-*•–]|\d+[.)])[ \t])"
    r"|(?P<other>\S)"
)
_ARGUMENT = re.compile(r"""["'`]([^\W\d][\w \-]{0,79})["'`]""")

_STRONG = ("transfer", "delegate", "escalate", "route", "reroute", "redirect", "handoff")
_WEAK = ("hand", "pass", "forward", "send", "refer", "direct", "dispatch", "assign", "switch", "defer")
_CONVERSATION = _words(
    "user users customer customers caller callers client clients visitor guest patient conversation chat call dialog "
    "dialogue request requests question questions query queries inquiry inquiries enquiry message messages control "
    "task tasks work job case cases issue issues complaint complaints problem problems topic topics turn session "
    "them it him her this that everything anything"
)
"""What is handed over when a conversation is. After a weaker verb one of these must stand."""
_GOODS = _words(
    "money fund funds amount amounts balance payment payments credit credits points file files folder data ownership "
    "shares share rows row record records asset assets payload bytes email emails e-mail mail invoice invoices"
)
"""What is handed over when no conversation is."""
_OTHER_VERBS = _words(
    "report respond reply speak talk write answer listen add go try want need refer ask tell according"
)
"""What else goes with `to`."""
_NOUNS = _words("agent agents sub-agent sub-agents subagent subagents assistant specialist")
_OTHER_NOUNS = _words(
    "tool tools function endpoint api table database topic queue channel team teams department account folder file "
    "bucket variable field key page url address inbox list group mode step section stage phase form format"
)
"""What a name in code is when one of these follows it: no agent."""
_FILLERS = _NOUNS | _words(
    "the your our its a an either one of appropriate right correct relevant dedicated named called sibling peer "
    "following specialised specialized expert * ( [ :"
)
_NEGATIONS = _words(
    "never not don't don’t dont can't can’t cannot won't shouldn't mustn't doesn't avoid without nor neither instead"
)
_PARTICLES = _words("over off back on along up control directly immediately straight")
_JOINTS = _words(", or and / then")
_CALL_FILLERS = _words(
    "tool function with the agent agent_name name parameter argument args arguments parameters set to as using for "
    "value of input ( { [ : = \" ' ` ) *"
)
_CALL_NAMES = frozenset({"agent_name", "name", "args", "arguments", "parameters", "agent", "input"})
_FURTHEST_VERB, _FURTHEST_TARGET, _FURTHEST_ARGUMENT, _LONGEST_LIST = 12, 7, 16, 30


def mentions(text: str) -> tuple[Mention, ...]:
    """The names of agents that a text hands over to, in its order. Takes time in proportion to the text."""
    tokens = [_Token(match.lastgroup or "", *_bare(match), match.end()) for match in _TOKEN.finditer(text)]
    found: dict[tuple[int, int], Mention] = {}
    for index, token in enumerate(tokens):
        if token.text == TRANSFER_TOOL:
            named: Iterator[Mention] = _called(tokens, index, text)
        elif token.kind == "word" and (strength := _VERBS.get(token.lower)) is not None:
            named = _after_verb(tokens, index, strength)
        else:
            continue
        for mention in named:
            found.setdefault((mention.start, mention.end), mention)
    return tuple(sorted(found.values(), key=lambda mention: mention.start))


def is_identifier(name: str) -> bool:
    """Whether a word is plainly a name in code: it holds a `_`, a digit, or a capital after a small letter."""
    return "_" in name.strip("_") or any(char.isdigit() for char in name) or re.search(r"[a-z][A-Z]", name) is not None


def _bare(match: re.Match[str]) -> tuple[str, int]:
    """The text of a token without its quotes, and where that starts."""
    if match.lastgroup != "quoted":
        return match[0], match.start()
    marks = 2 if match[0].startswith("**") else 1
    return match[0][marks:-marks], match.start() + marks


def _forms(verb: str) -> tuple[str, ...]:
    stem = verb[:-1] if verb.endswith("e") else verb
    doubled = f"{verb}r" if verb in ("transfer", "refer", "defer") else stem
    return verb, f"{verb}es" if verb.endswith("s") else f"{verb}s", f"{doubled}ing", f"{doubled}ed"


_VERBS = {form: strength for strength, verbs in ((2, _STRONG), (1, _WEAK)) for verb in verbs for form in _forms(verb)}


def _called(tokens: Sequence[_Token], index: int, text: str) -> Iterator[Mention]:
    """The argument of the call whose name stands at `index`."""
    if _is_negated(tokens, index):
        return
    bracket, linked = False, False
    for at in range(index + 1, min(index + _FURTHEST_ARGUMENT, len(tokens))):
        token, before = tokens[at], tokens[at - 1].text
        if token.kind == "quoted" and token.text in _CALL_NAMES:
            linked = linked or token.text == "agent_name"
        elif token.kind == "quoted":
            if bracket or linked:
                yield Mention(token.text, token.start, token.start + len(token.text), _way(bracket, token), True)
            return
        elif token.kind == "other" and token.text in "\"'`" and (spaced := _ARGUMENT.match(text, token.start)):
            if bracket:
                yield Mention(spaced[1], spaced.start(1), spaced.end(1), "call", True)
            return
        elif token.text in _CALL_FILLERS:
            bracket = token.text != ")" and (bracket or token.text in ("(", "{"))
            linked = linked or token.lower in ("with", "to", "for", "using", "agent_name", "=", ":", "as")
        elif token.text == "," and (bracket or tokens[min(at + 1, len(tokens) - 1)].text in _CALL_NAMES):
            continue
        else:
            if bracket and token.kind == "word" and before in ("(", "=", ":"):
                yield Mention(token.text, token.start, token.end, "plain", True)
            return


def _way(bracket: bool, token: _Token) -> Written:
    return "call" if bracket else "quoted" if token.kind == "quoted" else "plain"


def _after_verb(tokens: Sequence[_Token], index: int, strength: int) -> Iterator[Mention]:
    """The names that follow `to` after the verb at `index`: "math to `a` and other questions to `b`" has two."""
    if _is_negated(tokens, index) or not _is_told(tokens, index):
        return
    between: list[str] = []
    at, last = index + 1, index + _FURTHEST_VERB
    while at < min(last, len(tokens)):
        token = tokens[at]
        at += 1
        if token.kind == "stop" or token.text == TRANSFER_TOOL:
            return
        if token.lower == "to":
            named, after = _names(tokens, at) if _hands_over(between, strength) else ([], at)
            if named:
                yield from named
                at, last, between = after, after + _FURTHEST_VERB // 2, []
                strength = 2 if after < len(tokens) and tokens[after].lower in _JOINTS else 1
        elif token.kind != "other":
            if token.lower in _VERBS and token.kind == "word" and between:
                return
            between.append(token.lower)


def _hands_over(between: Sequence[str], strength: int) -> bool:
    """Whether the words between verb and `to` say that a conversation is handed over."""
    if any(word in _GOODS or word in _OTHER_VERBS for word in between):
        return False
    objects = [word for word in between if word not in _PARTICLES]
    return strength == 2 or not objects or any(word in _CONVERSATION for word in between)


def _is_negated(tokens: Sequence[_Token], index: int) -> bool:
    for token in reversed(tokens[max(0, index - 4) : index]):
        if token.kind == "stop" or token.text == ",":
            return False
        if token.lower in _NEGATIONS:
            return True
    return False


def _is_told(tokens: Sequence[_Token], index: int) -> bool:
    """Whether the verb tells this agent what to do, rather than what another does or has done."""
    verb, before = tokens[index].lower, tokens[index - 1] if index else None
    if verb.endswith("ed"):
        return before is not None and before.lower == "be"
    if verb.endswith("s") and verb != "pass":
        return before is None or before.kind in ("stop", "other") or before.lower in ("and", "then", "or")
    return True


def _names(tokens: Sequence[_Token], start: int) -> tuple[list[Mention], int]:
    """The target or targets that begin at `start`, as in "`a`, `b` or `c`", and where the text goes on."""
    found: list[Mention] = []
    ends: list[int] = []
    at = start
    while len(found) < _LONGEST_LIST:
        first = at
        while at < len(tokens) and at - first < _FURTHEST_TARGET and _is_filler(tokens[at]):
            at += 1
        before = [token.lower for token in tokens[first:at]]
        if at >= len(tokens) or tokens[at].kind not in ("quoted", "word"):
            break
        token, after = tokens[at], tokens[at + 1] if at + 1 < len(tokens) else None
        following = after.lower if after is not None and after.kind == "word" else ""
        if following in _OTHER_NOUNS or (token.kind == "word" and token.lower in _CONVERSATION):
            break
        written: Written = "quoted" if token.kind == "quoted" else "plain"
        said = following in _NOUNS or any(word in ("named", "called") for word in before)
        said = said or (written == "quoted" and any(word in _NOUNS for word in before))
        found.append(Mention(token.text, token.start, token.start + len(token.text), written, said))
        at += 2 if following in _NOUNS else 1
        ends.append(at)
        if at >= len(tokens) or tokens[at].lower not in _JOINTS:
            break
        while at < len(tokens) and tokens[at].lower in _JOINTS:
            at += 1
    if found and found[-1].is_agent:  # "weather or news agents"
        found = [mention._replace(is_agent=True) for mention in found]
    counted = [
        k for k, each in enumerate(found) if each.written == "quoted" or each.is_agent or is_identifier(each.name)
    ]
    return [found[k] for k in counted], ends[counted[-1]] if counted else start


def _is_filler(token: _Token) -> bool:
    return token.kind != "quoted" and token.lower in _FILLERS
