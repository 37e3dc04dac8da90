"""The seeds: kept sealed, and released one at a time.

`custodian`   makes the seeds of a batch, and releases one for the proof that its lock is published
`source`      where seeds come from, and whether that works
`chain`       which chain of seeds is meant
`seed_store`  its store: sealed seeds, and how far each table has been released (high-water marks)
`kept_chain`  a seed chain in little memory
`rotation`    sealing every seed again, under another key
`keys`        the key that encrypts seeds at rest
"""
