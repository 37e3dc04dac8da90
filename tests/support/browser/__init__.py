"""What the tests of pages in a browser need.

`visitor`        a person with a browser, who notices what goes wrong behind a page
`addresses`      every page there is
`demo_service`   a real service whose tables are played
`quiet_service`  a service in which only the test acts
`checking`       the page that checks: its verdict, and logs with a lie in them
"""
