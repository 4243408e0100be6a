"""Ready texts in English: the text, then a header or the titles of two quick replies."""

TEXTS: dict[str, tuple[str, ...]] = {
    "order_received": (
        "Hi {{1}}, we have received your order {{2}} for {{3}}. We will tell you when it is ready.",
    ),
    "order_ready": ("Hi {{1}}, your order {{2}} is ready. You can pick it up now.",),
    "order_on_its_way": (
        "Hi {{1}}, your order {{2}} is on its way and should arrive by {{3}}. Enjoy your meal!",
    ),
    "order_delayed": (
        (
            "Hi {{1}}, your order {{2}} takes a little longer. It should be ready by {{3}}. "
            "We are sorry for the wait."
        ),
    ),
    "reservation_reminder": (
        (
            "Hi {{1}}, this is a reminder of your table on {{2}} at {{3}} for {{4}} people. "
            "Will you be there?"
        ),
        "Yes, see you",
        "Please cancel",
    ),
    "payment_reminder": (
        (
            "Hi {{1}}, order {{2}} over {{3}} is not paid yet. Please pay before we prepare "
            "it. Thank you!"
        ),
    ),
    "feedback_request": (
        "Hi {{1}}, thank you for your order {{2}}. How was everything?",
        "Very good",
        "Could be better",
    ),
    "cart_reminder": (
        (
            "Hi {{1}}, your cart is still waiting for you. Open our menu whenever you are "
            "ready to order."
        ),
        "Your cart",
    ),
    "win_back": (
        (
            "Hi {{1}}, we have not seen you for a while. Come by this week, we would be happy"
            " to cook for you again."
        ),
        "We miss you",
    ),
    "birthday": (
        "Happy birthday, {{1}}! Celebrate with us this week: dessert is on us for the whole table.",
        "Happy birthday",
    ),
    "back_in_stock": (
        "Hi {{1}}, good news: {{2}} is back in stock. Order while it lasts.",
        "Back in stock",
    ),
    "new_menu": (
        "Hi {{1}}, our new menu is here. Take a look and reserve your table today.",
        "New menu",
    ),
    "footer": ("Reply STOP to opt out",),
}
