"""The proof that the promises hold.

The folders are those of the packages; besides them:

`support`     services to run, operators that can lie, and what several tests need
`oracles`     second implementations: of trees, records and bets, in other languages, and other people's
`lies`        every way in which a record can be false
`recipes`     makes the vectors and cases that are published
`cases`       logs and files, each with the verdict that every verifier must reach
`vectors`     values from elsewhere
`browser`     the pages, in Chromium
`documents`   the documents are true
`project`     what is installed, the image, other people's programs, and the shape of the source
`pictures`    the pictures in the documents
`messages`    the messages of the pages and their translations
`templates`   the words that JavaScript has from Python
`house`       where the project's files lie
"""
