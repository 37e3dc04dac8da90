"""Who may do what.

`tokens`    bearer tokens of engines, operators and monitors
`sessions`  operators who signed in with a browser
"""
