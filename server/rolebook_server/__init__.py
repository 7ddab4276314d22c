"""The language server: `ide` knows definitions and no protocol, `lsp` knows the protocol and no definitions."""
