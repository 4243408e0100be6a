"""The pages of a menu."""

MENU_PAGES = {
    "menu": "/menus/{menu}",
    "menu-import": "/menus/{menu}/import",
    "menu-publish": "/menus/{menu}/publish",
    "category-new": "/menus/{menu}/categories/new",
    "category": "/menus/categories/{category}",
    "item-new": "/menus/{menu}/items/new",
    "item": "/menus/items/{item}",
    "item-remove": "/menus/items/{item}/remove",
    "options-new": "/menus/{menu}/groups/new",
    "options": "/menus/groups/{options}",
    "options-remove": "/menus/groups/{options}/remove",
    "happy-hour-new": "/menus/{menu}/happy-hours/new",
    "happy-hour": "/menus/{menu}/happy-hours/{happy_hour}",
    "happy-hour-remove": "/menus/{menu}/happy-hours/{happy_hour}/remove",
}
