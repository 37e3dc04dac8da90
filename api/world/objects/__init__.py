"""The log's files as objects of an S3-compatible store (``docs/operating.md``, "Publishing to S3").

`bucket`         reads objects, and writes them once or by compare-and-swap
`mirrored_log`   the log's folder of a service that publishes to a bucket
"""
