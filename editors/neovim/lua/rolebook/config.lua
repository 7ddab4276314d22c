-- What the user may set in `vim.g.rolebook`, and the command lines that follow from it.

---@class rolebook.Config
---@field cmd? string[] How Rolebook is started, without a subcommand. Default: `{ 'rolebook' }`.

local M = {}

--- The command line of one of Rolebook's subcommands.
---@param ... string The subcommand and its arguments.
---@return string[]
function M.command(...)
  ---@type rolebook.Config
  local config = vim.g.rolebook or {}
  local cmd = config.cmd or { 'rolebook' }
  vim.validate('vim.g.rolebook.cmd', cmd, vim.islist, "a list like { 'rolebook' }")
  return vim.list_extend(vim.list_slice(cmd), { ... })
end

return M
