"""Refactorings and quick fixes, one module for each kind. Each says what it could do; the edits are made when asked."""
