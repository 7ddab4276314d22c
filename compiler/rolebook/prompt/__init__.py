"""An agent at its place in a tree, with state and events, compiled to an LLM request. Every step is a pure function."""
