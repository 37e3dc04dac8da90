"""What every page is made with: frame, headers, languages, forms and errors."""
