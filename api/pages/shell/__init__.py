"""What every page is made with.

`frame`      the frame, and what templates can use
`headers`    security headers
`languages`  English, Armenian and Russian
`forms`      forms that only our pages can send
`errors`     errors as pages
`lasting`    pages that are made once a second, however many ask
"""
