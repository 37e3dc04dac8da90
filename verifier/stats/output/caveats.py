"""What statistics cannot show, in plain words: part of every verdict about them."""

LIMITS = (
    (
        "That nothing strange was found does not show that nothing is wrong: each test states the smallest fault that it would have"
        " noticed. There may be smaller faults, or faults of a kind that no test looks for."
    ),
    (
        "That outcomes look like chance does not show that nobody could know them. The audit shows that they were fixed in advance, but"
        " not who could see them earlier."
    ),
    (
        "Whether costly rounds were played while nobody bet is tested by what the log says about bets and times. Counts of bets and times"
        " are the operator's word: an operator that knows outcomes in advance and also invents bets, or gives no digest at all, is not detected."
    ),
    "Stakes are not in the log. Returns here are those of one standard bet of 1 on every round, not what players won.",
    "A void round that was chosen for the bets of only one player looks like any other: the log does not know the bets.",
    (
        "In games with a flight, a failure interrupts long flights more often than short ones, because they take longer. So void rounds that"
        " were locked may have had higher multipliers although nobody chose them: look at their reasons, and at void rounds that were not locked."
    ),
    "Times are those of the operator's clock. Only the order of records is proven.",
    (
        "Rounds that have not ended, and rounds left at tables that are not closed, have no public outcome and are in no test. Of a closed"
        " table, the first hundred unused rounds are tested."
    ),
)
"""What the statistics of any log do not show."""

NO_BET = "Returns, void rounds, schedules and ends of these tables, whose games have no standard bet: {tables}."
NEWER = (
    "Statistics of these tables, which have something that this verifier does not know: {tables}. None of their rounds is"
    " in a test."
)
NOT_A_PROOF = (
    "An alarm is no proof of a lie: of a hundred honest logs up to one raises an alarm. It says where to look, and the"
    " same test on the rounds that follow decides."
)
