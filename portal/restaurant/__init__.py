"""Setting up restaurants: their addresses, tables, menus and what is sold out."""
