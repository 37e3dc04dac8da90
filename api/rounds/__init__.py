"""What happens to tables and rounds."""
