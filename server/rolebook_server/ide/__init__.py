"""One module per feature: a snapshot, a file and an offset in, plain values with offsets out."""
