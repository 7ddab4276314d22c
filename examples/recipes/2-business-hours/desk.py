"""What the support desk may do at which time (UTC), and its tools."""

from datetime import UTC, datetime

TEXTS = {
    "weekend": (
        "Weekend mode. You can help with general questions but cannot process refunds or account changes."
        " Direct urgent issues to Monday support."
    ),
    "open": "Business hours. Full capabilities available. You can process refunds up to $100 and make account changes.",
    "closed": (
        "After hours. You can help with general questions and create tickets for the morning team."
        " No account modifications."
    ),
}


def instruction(context) -> str:
    return TEXTS[_hours(context)]


def tools(context) -> list:
    """Without the tool, no talking makes the model refund at night."""
    always = [general_faq, create_ticket]
    return [*always, refund] if _hours(context) == "open" else always


def general_faq(question: str) -> str:
    """Answer a general question from the list of frequent ones.

    Args:
        question: The question in the customer's words.
    """
    return f"The help pages say nothing on {question!r} yet."


def create_ticket(subject: str) -> dict:
    """Create a ticket for the morning team.

    Args:
        subject: One line that says what is wrong.
    """
    return {"ticket": f"T-{len(subject):04}"}


def refund(order: str, dollars: int) -> dict:
    """Refund an order.

    Args:
        order: The order's number.
        dollars: The amount, 100 at most.
    """
    if dollars > 100:
        raise ValueError("more than $100 needs a human")
    return {"order": order, "refunded": dollars}


def _hours(context) -> str:
    tried = context.state.get("now")
    now = (datetime.fromisoformat(tried) if tried else context.now).astimezone(UTC)
    if now.isoweekday() >= 6:
        return "weekend"
    return "open" if 9 <= now.hour < 17 else "closed"
