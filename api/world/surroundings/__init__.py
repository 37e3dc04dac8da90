"""What a program is started in: its standard streams and its environment, which other programs have chosen.

`streams`              what it says while it works: nobody waits for a reader
`closed_streams`       standard streams that were closed at the start
`inherited_variables`  variables that packages of ours would obey
"""
