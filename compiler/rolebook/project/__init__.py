"""Many files as one: texts on disk or in an editor, the agent tree that references make, and who sets which state."""
