"""The protocol: transport, documents, conversion. Nothing outside of this package knows LSP."""
