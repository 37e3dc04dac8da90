"""The files that pages load: styles, scripts, and the verifier bundled for browsers."""
