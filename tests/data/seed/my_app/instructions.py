# ruff: noqa: ARG001
"""Instructions that are made for each request, as in the seed."""

from datetime import UTC, datetime

TIERS = {
    "premium": "You have access to all features. Be thorough.",
    "enterprise": "You are in enterprise mode. Follow compliance guidelines.",
}
MOODS = {
    6: "The user is likely working late. Be concise.",
    12: "Good morning energy. Be upbeat.",
    18: "Afternoon focus. Be efficient.",
    24: "Evening wind-down. Be relaxed.",
}


def by_hour(context) -> str:
    hour = datetime.now(UTC).hour
    mood = next(text for end, text in MOODS.items() if hour < end)
    language = context.state.get("preferred_language", "English")
    return f"You are a helpful assistant.\n{mood}\nRespond in {language}."


def for_user(context) -> str:
    tier = context.state.get("user_tier", "free")
    return TIERS.get(tier, "You are in free mode. Suggest upgrades when relevant.")


def with_expertise(context, domain: str) -> str:
    return f"You are an expert in {domain}. {for_user(context)}"


async def with_memories(context) -> str:
    memories = await context.search_memory("recent context")
    told = "This is a new user. Be welcoming."
    if memories:
        summary = "\n".join(memory.text for memory in memories)
        told = f"Previous context:\n{summary}\n\nUse this to personalize your responses."
    return f"You are a personal assistant with memory across sessions.\n{told}\nThe user's name is {{user_name}}.\n"


def business_hours(context) -> str:
    now = datetime.now(UTC)
    if now.isoweekday() >= 6:
        return (
            "Weekend mode. You can help with general questions but cannot process refunds or account changes."
            " Direct urgent issues to Monday support."
        )
    if 9 <= now.hour < 17:
        return (
            "Business hours. Full capabilities available. You can process refunds up to $100 and make account changes."
        )
    return (
        "After hours. You can help with general questions and create tickets for the morning team."
        " No account modifications."
    )


def by_depth(context) -> str:
    base = "You are a coding tutor."
    told = len(context.events)
    if told < 4:
        return f"{base} The student just started. Keep things simple. Use basic examples."
    if told < 12:
        return f"{base} The student is warming up. You can introduce intermediate concepts."
    return f"{base} The student is engaged. Feel free to discuss advanced topics and trade-offs."
