"""What statistics cannot tell, in plain words: a part of every verdict about them."""

LIMITS = (
    (
        "That nothing strange was found does not show that nothing is wrong: each test states the smallest fault that it would have"
        " noticed. Faults smaller than that, or of a kind that no test asks for, may be there."
    ),
    (
        "That outcomes look like chance does not show that nobody could know them. That they were fixed in advance the audit shows; who"
        " could look at them before, it does not."
    ),
    (
        "Whether costly rounds were played while nobody bet is asked by what the log says of bets and times. Counts of bets and times"
        " are the operator's word: an operator that knows outcomes ahead and also invents bets, or gives no digest at all, escapes this."
    ),
    "Stakes are not in the log. Returns here are those of one standard bet of 1 on every round, and not what players won.",
    "A void round that was chosen for the bets of only one player looks like any other: the log does not know the bets.",
    (
        "In games with a flight a failure strikes long flights sooner than short ones, as they take longer. So void rounds that were"
        " locked may have had higher multipliers although nobody chose them: look at their reasons, and at void rounds that were not locked."
    ),
    "Hours are those of the operator's clock. Only the order of records is proven.",
    (
        "Rounds that hang, and rounds left at tables that are not closed, have no public outcome and are in no test. Of a closed table"
        " the first hundred unused rounds are tested."
    ),
)
"""What statistics do not show, whatever the log."""

NOT_A_PROOF = (
    "An alarm is no proof of a lie: of a hundred honest logs up to one raises an alarm. It says where to look, and the"
    " same test on the rounds that come decides."
)
