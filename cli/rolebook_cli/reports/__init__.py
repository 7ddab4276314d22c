"""What `check` found, in each format: one module per format with `render(report) -> text`."""
