"""`python -m rolebook_cli` is the command `rolebook`."""

import sys

if not sys.flags.safe_path:
    del sys.path[0]  # the current folder, which Python puts there: a `json.py` in it is none of ours

from rolebook_cli.main import main

sys.exit(main())
