# ruff: noqa: ARG001
"""Tools of the seed's agents."""


def search(query: str) -> list[str]:
    """Search the web.

    Args:
        query: Words to look for.
    """
    return [f"A page about {query}"]


def create_ticket(subject: str) -> dict:
    """Create a ticket for the morning team.

    Args:
        subject: One line that says what is wrong.
    """
    return {"ticket": f"T-{len(subject):04}"}


def general_faq(question: str) -> str:
    """Answer a general question from the list of frequent ones.

    Args:
        question: The question in the customer's words.
    """
    return "See the help pages."
