"""The instruction of the memory agent: what the user said in other sessions, as far as it bears on what is said now."""

import re

WELCOME = "This is a new user. Be welcoming."


async def instruction(context) -> str:
    """The memories stand in the text, so the model needs no tool to see them. `{user_name}` is filled afterwards."""
    said = next((event.text for event in reversed(context.events) if event.author == "user"), "")
    found = await context.memory.search(said)
    earlier = [_plain(memo.text) for memo in found if memo.session != context.session]
    known = "\n".join(["Previous context:", *earlier, "", "Use this to personalize your responses."])
    return (
        "You are a personal assistant with memory across sessions.\n"
        f"{known if earlier else WELCOME}\n"
        "The user's name is {user_name}."
    )


def _plain(text: str) -> str:
    """What a user said is no template: with a backslash, `{account}` stays as it is and shows nobody's account."""
    return re.sub(r"\{(?=[^{}]+\})", r"\\{", text)
