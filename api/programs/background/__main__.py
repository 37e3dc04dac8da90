"""The background program in a process of its own."""

import sys

from api.programs.background.run import main

if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
