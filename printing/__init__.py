"""Printing of tickets: documents, printers and print jobs."""
