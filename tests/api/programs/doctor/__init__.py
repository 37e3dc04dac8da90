"""`foredraw doctor`: each state of a data folder is made, and explained in plain words with the next command."""
