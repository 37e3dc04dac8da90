"""The tests of every promise.

The folders are those of the packages; in addition:

`support`     services to run, operators that can lie, and helpers that several tests need
`oracles`     second implementations: of trees, records and bets, in other languages, and by other people
`lies`        every way in which a record can be false
`recipes`     makes the vectors and cases that are published
`cases`       logs and files, each with the verdict that every verifier must reach
`vectors`     values from elsewhere
`browser`     the pages, in Chromium
`documents`   whether the documents are true
`project`     what is installed, the image, other people's programs, and the shape of the source
`pictures`    the pictures in the documents
`messages`    the messages of the pages and their translations
`templates`   the words that JavaScript gets from Python
`house`       where the project's files are
"""
