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
