"""The print agent: a separate program for a small computer near the printers.

It needs Python 3.11 and nothing else, and imports no other package of this project.
"""

VERSION = "1.1"
