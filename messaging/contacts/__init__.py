"""Contacts as a book: written into, searched, imported, exported, merged, erased."""
