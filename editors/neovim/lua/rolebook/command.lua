-- The subcommands of `:Rolebook`.

local M = {}

---@param message string
local function report(message)
  vim.notify('Rolebook: ' .. message, vim.log.levels.ERROR)
end

--- Each subcommand gets the text after its name.
---@type table<string, fun(rest: string)>
local subcommands = {}

--- Runs the buffer's agent in a terminal split: one turn with a message, a conversation without.
function subcommands.run(message)
  local file = vim.api.nvim_buf_get_name(0)
  if file == '' or vim.bo.buftype ~= '' then
    return report('this buffer has no file to run')
  end
  local command = require('rolebook.config').command('run', file)
  if vim.fn.executable(command[1]) == 0 then
    return report(('%s is no command here; install Rolebook or set vim.g.rolebook.cmd'):format(command[1]))
  end
  if message ~= '' then
    table.insert(command, message)
  end

  vim.cmd.update()
  vim.cmd('botright new')
  vim.fn.jobstart(command, { term = true })
  vim.cmd.startinsert()
end

---@param args string
function M.execute(args)
  local name, rest = args:match('^(%S+)%s*(.*)$')
  local subcommand = subcommands[name]
  if not subcommand then
    return report(('there is no subcommand %s'):format(name))
  end
  subcommand(rest)
end

---@param lead string The word before the cursor.
---@param line string The whole command line.
---@return string[]
function M.complete(lead, line)
  if not line:match('Rolebook!?%s+%S*$') then
    return {}
  end
  return vim.tbl_filter(function(name)
    return vim.startswith(name, lead)
  end, vim.tbl_keys(subcommands))
end

return M
