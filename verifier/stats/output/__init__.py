"""The verdict and the report of the statistics.

`verdict`      ``foredraw-verify stats``
`show`         for people
`as_json`      for programs
`report`       one HTML file
`drawing`      how its pictures are drawn
`plots`        pictures of tests
`table_plots`  pictures of a table
`caveats`      what statistics cannot show
"""
