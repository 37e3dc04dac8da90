"""The published log, where it is.

`published_log`  what those see of it who only read it
`log_folder`     the public folder of the log
`bucket`         objects of an S3-compatible store: read, written once, or exchanged
`mirrored_log`   the log's folder of a service that publishes to a bucket
`web_files`      files below an address that nobody trusts
`remote_log`     the log at its address, for a machine that only reads
"""
