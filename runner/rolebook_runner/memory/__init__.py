"""What was said in a user's sessions, to be searched later."""
