"""The user's functions: found, imported, called with checked arguments."""
