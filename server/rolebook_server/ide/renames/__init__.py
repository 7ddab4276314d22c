"""The parts of rename: who shares a state key, and the proof that nothing else changed."""
