"""Games as data: a declaration says what is drawn, and any program that knows the words can draw it (SPEC 3.6 to
3.9).

`games.registry` makes games of them, for tables whose records have them.

`declaration`  the whole: parsed, checked against the limits, drawn
`catalogue`    the declarations of the regulation's games
`law`          every outcome with its chance
`kinds`        the kinds of steps by their names
`deals`        what no kind can say
`takes`        kinds that draw without return
`wheels`       kinds that draw by weights
`throws`       kinds that draw with return
`packs`        the packs
`parameters`   the rules' parameters
`scope`        what names stand for
`pile`         a shuffle that is read on
`spelling`     the one spelling
`values`       numbers, names, labels
"""
