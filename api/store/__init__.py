"""The service's database. All of it but tokens and sessions is a projection of the log.

`models`      its tables
`schema`      a new database
`statements`  every statement about them
`rows`        what rows hold as bytes and text
"""
