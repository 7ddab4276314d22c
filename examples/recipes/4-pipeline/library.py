"""The researcher's library: a few sentences, so that every run is the same."""

SENTENCES = [
    "Tides are two bulges of water, raised by the Moon.",
    "Most coasts see two high tides a day.",
    "The Sun pulls at the sea about half as much as the Moon.",
    "Bread rises because yeast gives off carbon dioxide.",
]


def search(query: str, limit: int = 2) -> list[str]:
    """Search the library for sentences on a topic.

    Args:
        query: Words to look for.
        limit: How many sentences to return at most.
    """
    words = [word.strip(".,?!").removesuffix("s") for word in query.lower().split()]
    return sorted(SENTENCES, key=lambda text: -sum(word in text.lower() for word in words if len(word) > 2))[:limit]
