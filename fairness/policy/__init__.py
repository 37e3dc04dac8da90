"""Whom a verifier believes: a log's key, witnesses and their quorum, custodians, beacons (SPEC 5.7).

`cosignatures`  what a witness signs: a checkpoint, and when it saw it
`quorum`        which witnesses suffice, and how many any two choices of them share
`policy`        the text that names everybody
`head`          a checkpoint that a policy accepts, and who cosigned it
`witnessed`     a batch that witnesses saw before its pulse existed
`custody`       what a custodian said of a batch
`published_policy`  the policy by which a custodian releases seeds
"""
