"""The web server: the two applications, and the gunicorn workers that serve them to strangers."""
