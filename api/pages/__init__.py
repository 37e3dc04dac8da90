"""The pages for people: one file a page. Its template, its rules and its script bear the same name."""

# Importing a page registers its addresses.
from api.pages import badge, home, round, table, verify  # noqa: F401, A004
from api.pages.files import static_files  # noqa: F401
from api.pages.ops import add, close, login, page  # noqa: F401
from api.pages.ops.operators import operators
from api.pages.shell.errors import error_page, wants_page
from api.pages.shell.frame import pages, prepare
from api.pages.shell.headers import with_headers

pages.register_blueprint(operators)

__all__ = ["error_page", "pages", "prepare", "wants_page", "with_headers"]
