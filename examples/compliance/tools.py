"""Tools of the compliance bot: rules by topic and region, and the customer's risk tolerance."""

from enum import Enum

RULES = {
    ("disclaimers", "US"): "SEC Rule 206(4)-1: performance needs a fair and balanced disclosure of risk.",
    ("disclaimers", "EU"): "MiFID II, Article 24: information must be fair, clear and not misleading.",
}


class Risk(Enum):
    LOW = "low"
    MEDIUM = "medium"
    HIGH = "high"


def find_rule(topic: str, context) -> str:
    """Find the regulation on a topic for the customer's region.

    Args:
        topic: Such as disclaimers.
    """
    return RULES.get((topic, context.state["user_region"]), "No rule on this topic; ask a human.")


def set_risk_level(level: Risk, context) -> dict:
    """Note the customer's risk tolerance for the rest of the session.

    Args:
        level: The tolerance that the customer named.
    """
    context.state["risk_level"] = level.value
    return {"risk_level": level.value}
