"""The service's database. All of it but tokens, sessions and the journal is a projection of the log.

`schema`       where the database is, and a new one
`present`      whether a folder has one
`absent`       one that cannot be opened
`upgrade`      which revision of the schema it has, and the way to the newest
`revisions`    the revisions of the schema
`sole`         one service on a folder and a database
`guards`       what PostgreSQL refuses by triggers
`replacement`  a fresh database in the place of an old one
`statements`   every statement about its tables
`models`       its tables as typed rows: each field is a column
`tables`       the schema that they make
`contents`     what columns hold as bytes and text
"""
