"""What an operator watches.

`overview`      how every table stands, and what needs somebody
`pace`          how fast a table is played, and how long its committed rounds last
`monitor`       follows the outcomes of every table
`drift`         whether they drift from the exact law
`things`        what is counted: how many of each thing a round draws
`counts`        what all processes count together
`health`        whether every part works
`shared_statuses`  what the sequencer that leads says of itself, for listeners on other machines
"""
