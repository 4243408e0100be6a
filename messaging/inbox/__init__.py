"""Conversations as people see them: found, read, answered, shared out."""
