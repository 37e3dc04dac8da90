"""The operator's pages.

`login`      signing in
`operators`  who is signed in
`page`       the overview
`add`        adding a table
`close`      closing one
`pause`      pausing one or all, and letting them go on
"""
