"""The pages for people: one file a page. Its template, its rules and its script bear the same name."""

from api.pages import home, round, static_files, table  # noqa: A004, F401  (each adds its addresses)
from api.pages.errors import error_page, wants_page
from api.pages.frame import pages, prepare
from api.pages.headers import add_headers

__all__ = ["add_headers", "error_page", "pages", "prepare", "wants_page"]
