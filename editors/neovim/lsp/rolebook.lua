-- The language server's configuration, found by `vim.lsp.enable('rolebook')` (Neovim 0.11 or newer).

---@type vim.lsp.Config
return {
  cmd = require('rolebook.config').command('lsp'),
  filetypes = { 'yaml', 'markdown' },
  root_markers = { 'rolebook.toml', 'pyproject.toml', '.git' },

  -- Any YAML file may be one that a definition names, which the server alone can tell. Markdown definitions are known
  -- by their ending, and no README should start a server. Without a directory, Neovim goes by the markers above.
  root_dir = function(bufnr, on_dir)
    if vim.bo[bufnr].filetype ~= 'markdown' or vim.api.nvim_buf_get_name(bufnr):match('%.agent%.md$') then
      on_dir()
    end
  end,
}
