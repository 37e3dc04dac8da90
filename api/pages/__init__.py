"""The pages for people: one file a page. Its template, its rules and its script bear the same name."""

from api.pages import (  # noqa: F401  (each adds its addresses)
    badge,
    home,
    ops,
    ops_add,
    ops_close,
    ops_login,
    round,  # noqa: A004
    static_files,
    table,
    verify,
)
from api.pages.errors import error_page, wants_page
from api.pages.frame import pages, prepare
from api.pages.headers import with_headers
from api.pages.operators import operators

pages.register_blueprint(operators)

__all__ = ["error_page", "pages", "prepare", "wants_page", "with_headers"]
