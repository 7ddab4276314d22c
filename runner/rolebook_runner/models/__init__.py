"""Where answers come from: providers over HTTP, and the rehearsal that needs none."""
