"""The pages for people: one file a page. Its template, its rules and its script bear the same name.

`home`       the tables
`table`      one table
`going_on`   how a table stands, on these two and on a round's page
`history`    its rounds, by number and outcome
`returns`    its bets, with what they return
`option_lines`  those of a declared game
`round`      one round
`time_line`  what happened to a round, and when
`before_pulse`  who had seen its batch before the beacon's pulse
`bet_asked`  what became of a bet, on its page
`bet_words`  the words of bets
`pictures`   outcomes as pictures and in a few words
`verify`     the page that checks
`kept`       the same as a file to keep
`trust`      the operator's policy, which pages bring with them
`badge`      the badge for other people's pages
`ops`        the operator's pages
`shell`      what every page is made with
`files`      the files that pages load
"""

# Importing a page registers its addresses.
from api.pages import badge, home, round, table, verify  # noqa: F401, A004 -- their routes are added when they are imported
from api.pages.files import static_files  # noqa: F401 -- their routes are added when they are imported
from api.pages.ops import add, close, login, page, pause  # noqa: F401 -- their routes are added when they are imported
from api.pages.ops.operators import operators
from api.pages.shell.errors import error_page, wants_page
from api.pages.shell.frame import pages, prepare
from api.pages.shell.headers import with_headers

pages.register_blueprint(operators)

__all__ = ["error_page", "pages", "prepare", "wants_page", "with_headers"]
