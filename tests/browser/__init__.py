"""The pages in a real browser: Debian's Chromium, driven by Playwright; and what engines do differently, in each of
them.

`every_page`    what must hold for every page
`public`        the pages of players: tables, rounds, the badge on other sites; and an auditor's report
`verify`        the page that checks, and the page to keep
`ops`           the operator's pages
`engines`       what must hold in Firefox and WebKit, too, which start by themselves
`test_visitor`  that the visitor, who opens all of these, notices what goes wrong
`test_fonts`    that its browser has the fonts of one family alone

``tests.support.browser`` has the visitor, the services behind the pages, and the list of addresses.
"""
