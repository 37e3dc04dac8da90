"""The page that checks codes and files, and the page to keep, which does so without a network."""
