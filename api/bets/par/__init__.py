"""The PAR sheet of a table: what it plays, what it pays, and what that is worth.

`command`  ``foredraw par``
`sheet`    its content
`as_html`  the sheet as a page
`as_pdf`   as a PDF
`as_csv`   as CSV
"""
