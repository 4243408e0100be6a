"""The diner's menu page: opened by a table's QR code; the cart is sent as a chat message."""
