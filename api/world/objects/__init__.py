"""The log's files elsewhere than in its folder.

`bucket`         objects of an S3-compatible store: read, written once, or exchanged
`mirrored_log`   the log's folder of a service that publishes to a bucket
`web_files`      files below an address that nobody trusts
`remote_log`     the published log at its address, for a machine that only reads
"""
