"""Rolebook's compiler: definitions of AI agents in, the LLM request out. Pure: no network, no editor protocol."""
