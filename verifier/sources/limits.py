"""What a reader grants a server, each limit with its reason. How large files may be follows from `fairness.limits`.

Two more hold without us: Python's HTTP client reads 99 headers of 65,536 bytes each, and no more.
"""

PATIENCE = 20.0
"""Seconds to wait for a connection, or for the next byte of an answer: slow lines are, servers that are gone are not."""
WHOLE_ANSWER = 3
"""How many times as long a whole answer may take; then it is cut off, or one byte now and then would hold us for ever."""
PAUSES = (0.2, 1.0)
"""Seconds before a failed request is tried again. Two failures in a row are an accident, three are not."""
MOST_CONNECTIONS = 16
"""To one server at a time, as many as `FILES_AHEAD` needs with some to spare."""
CHUNK = 1 << 16
"""Bytes that are taken from a server at once: whatever length it claims, no more memory is set aside."""
FILES_AHEAD = 8
"""How many files are on their way at once in an audit; eight bundles hold 134 MB at most."""
