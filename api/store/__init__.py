"""The service's database. All of it but tokens and sessions is a projection of the log.

`models`      its tables
`statements`  every statement about them
"""
