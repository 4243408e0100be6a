"""The print agent: a program of its own for a small computer beside the printers.

It needs Python 3.11 and nothing else, and imports nothing else of ours.
"""

VERSION = "1.1"
