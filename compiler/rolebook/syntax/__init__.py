"""Text to trees of nodes with spans. Nothing here raises on what a user wrote, and nothing knows what the keys mean."""
