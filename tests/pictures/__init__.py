"""The pictures of the documents, taken from the running programs: ``make pictures``."""
