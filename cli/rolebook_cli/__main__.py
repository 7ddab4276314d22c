"""`python -m rolebook_cli` is the command `rolebook`."""

import sys

from rolebook_cli.main import main

sys.exit(main())
