"""The programs: the command line, the supervisor, the background program and the demo dealer."""
