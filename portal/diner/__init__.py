"""The diner's page: a table's code opens it, and the cart leaves from it as a chat message."""
