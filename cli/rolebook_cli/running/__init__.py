"""`rolebook run`: one turn, a chat, or a process that an editor drives."""
