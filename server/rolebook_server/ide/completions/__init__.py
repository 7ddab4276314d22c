"""The parts of completion: what stands around the cursor, and what may be written there."""
