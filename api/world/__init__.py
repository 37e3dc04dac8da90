"""What the service touches outside itself. When a function here returns, its effect is durable; repeating it is safe.

`clock`             the date, the time since boot, and entropy
`timekeeper`        which time a record is given, and how old things are
`below`             files below a folder, reached without following a link
`durable`           files that a crash leaves whole or not at all
`published`         the published log: in its folder, in a bucket, at an address
`by_proxy`          connections to web servers, by the proxy of the settings or without one
`file_lock`         a lock between processes
`key_files`         files that hold one secret key each
`statuses`          what parts of a program say of themselves, with a heartbeat
`storage_failures`  failures of storage in a sentence with the remedy
`cooperation`       how long work lets other callers of the same thread go on
`processor`         how long a thread has computed, and waited for a processor
`shared_count`      a count that several processes share
`surroundings`      what a program is started in: its streams and its environment
`supervision`       what the programs of one service know of each other
`self_test`         known answers: this machine computes what outcomes are made of
`private_memory`    no core dump, and no other process that reads our memory
"""
