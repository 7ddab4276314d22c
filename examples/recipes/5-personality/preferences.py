"""The tool with which the agent notes what it learns about the user."""

KEYS = ("communication_style", "expertise_level", "interests")


def set_preference(key: str, value: str, context) -> str:
    if key not in KEYS:
        raise ValueError(f"there is no preference {key}; there are {', '.join(KEYS)}")
    context.state[key] = value
    return f"Preference {key} set to {value}"
