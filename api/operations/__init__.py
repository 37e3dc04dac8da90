"""What an operator watches: how tables play, whether they drift, and whether every part works."""
