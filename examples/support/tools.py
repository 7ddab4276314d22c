"""Tools of the support agent. They read and write session state through the context that the runner passes."""

ACCOUNTS = {"ENT-12345": {"plan": "enterprise", "seats": 40, "open_invoices": 1}}


def look_up_account(context) -> dict:
    """Look up the account of the customer in this conversation."""
    account_id = context.state["account_id"]
    if account_id not in ACCOUNTS:
        raise LookupError(f"there is no account {account_id}")
    return ACCOUNTS[account_id]


async def open_ticket(subject: str, context, urgent: bool = False) -> dict:
    """Open a ticket for the customer.

    Args:
        subject: One line that says what is wrong.
        urgent: Whether the customer can't work until it is solved.
    """
    ticket = f"T-{len(subject):04}"
    context.state["last_ticket"] = f"Their latest ticket is {ticket}."
    if urgent:
        context.state["priority"] = "high"
    return {"ticket": ticket, "urgent": urgent}
