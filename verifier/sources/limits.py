"""How much time and memory a server gets, each limit with its reason. `fairness.limits` determines the sizes of
files.

Two more limits are Python's own: its HTTP client reads at most 99 headers, of at most 65,536 bytes each.
"""

PATIENCE = 20.0
"""Seconds to wait for a connection, or for the next byte of an answer: enough for a slow connection."""
WHOLE_ANSWER = 3
"""A whole answer may take this many times as long; then it is cut off, because one byte now and then would never
end.
"""
PAUSES = (0.2, 1.0)
"""Seconds before a failed request is repeated. Two failures in a row may be an accident, three are not."""
LONGEST_WAIT = 60.0
"""Seconds that a server may ask to wait before it is asked again; one that asks for more is not waited for."""
WAITS = (1.0, 2.0, 4.0, 8.0, 16.0)
"""Seconds before a file is asked for again after the server asked to wait, if it asked for less than that."""
CALM_FILES = 64
"""After so many files without being asked to wait, one reader more asks at a time."""
MOST_CONNECTIONS = 16
"""Connections to one server at a time: enough for `FILES_AHEAD`, and some to spare."""
CHUNK = 1 << 16
"""Bytes that are read from a server at once: whatever length it claims, no more memory is allocated."""
FILES_AHEAD = 8
"""How many files an audit fetches at once; eight bundles have at most 134 MB."""
