"""Who may do what: tokens of engines and operators, and sessions in a browser."""
