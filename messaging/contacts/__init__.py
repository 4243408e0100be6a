"""Contacts: create, change, search, import, export, merge and erase them."""
