"""The service's database. All of it but tokens, sessions and the journal is a projection of the log.

`schema`       where the database is, a new one, and what an older one lacks
`sole`         one service on a folder and a database
`guards`       what PostgreSQL refuses by triggers
`replacement`  a fresh database in the place of an old one
`damaged`      reading a file of which some rows cannot be read
`statements`   every statement about its tables
`models`       its tables
`rows`         rows as typed tuples, and what they hold as bytes and text
"""
