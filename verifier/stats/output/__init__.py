"""The verdict and the report of the statistics.

`verdict`      ``foredraw-verify stats``
`show`         for people
`as_json`      for programs
`answers`      what programs read, as types
`report`       one HTML file
`drawing`      the style and markup of its pictures
`plots`        pictures of tests
`table_plots`  pictures of a table
`caveats`      what statistics cannot show
"""
