"""The seeds: kept sealed, and released one at a time.

`custodian`   makes the seeds of a batch, and releases one for the proof that its lock is published
`source`      where seeds come from, and whether that works
`chain`       which chain of seeds is meant
`mark`        how far a table has been released (a high-water mark)
`seed_store`  its store: sealed seeds, and the marks
`kept_chain`  a seed chain in little memory
`rotation`    sealing every seed again, under another key
`keys`        the key that encrypts seeds at rest
"""
