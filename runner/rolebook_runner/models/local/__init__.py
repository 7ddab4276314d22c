"""`local/…`: a GGUF file, run by llama.cpp in a process beside ours (the extra `local`)."""
