"""``python -m verifier`` is ``foredraw-verify``."""

import sys

from verifier.cli import main

sys.exit(main())
