"""Restaurant setup: sites, tables, menus and availability."""
