"""Nodes to frozen agents: the one table of keys, validation against it, and lowering."""
