"""Writing and reading the published log.

`sequencer`     gives queued records their positions, and publishes them under a signed head
`recovery`      the edge of the log after a crash, from the database and the files
`whole_files`   whether the log's full files are there, before anything is appended
`finding_aids`  writes the index of the records that were just appended
`publication`   what stands in a checkpoint that is on disk, and waiting for it
"""
