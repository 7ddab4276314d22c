"""What happened in each session, and its state."""
