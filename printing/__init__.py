"""Tickets on paper: documents, printers, jobs."""
