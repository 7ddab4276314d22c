-- Defines the command `:Rolebook`; what it does is loaded when it is used.

if vim.g.loaded_rolebook then
  return
end
vim.g.loaded_rolebook = true

vim.api.nvim_create_user_command('Rolebook', function(opts)
  require('rolebook.command').execute(opts.args)
end, {
  nargs = '+',
  desc = 'Work with the agent definition in this buffer',
  complete = function(lead, line)
    return require('rolebook.command').complete(lead, line)
  end,
})
