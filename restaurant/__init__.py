"""Restaurant ordering on top of messaging: sites, menus, tables, carts, orders, payments."""
