"""Who may do what.

`tokens`      accounts of engines, operators and auditors, and their bearer tokens
`token_text`  how a token is spelled
`presented`   a token that a caller presents
`sessions`    operators and auditors who signed in with a browser
"""
