"""Helpers of the tests of pages in a browser.

`visitor`        a visitor with a browser, which detects errors behind a page
`fonts`          the fonts that its browser has
`addresses`      all pages
`demo_service`   a real service whose tables are played
`quiet_service`  services in which only the test acts
`engines`        Chromium, Firefox and WebKit, each started with an address
`game_site`      a game's own site with badges
`checking`       the page /verify: its verdict, and logs with a lie
`reports`        reports of checks, of every kind and verdict
`watched`        requests of a page that are held back, and whether anything moves
`plain`          what sentences to players do not have
"""
