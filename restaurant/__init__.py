"""The restaurant on top of the channel: sites, menus, tables, carts, orders."""
