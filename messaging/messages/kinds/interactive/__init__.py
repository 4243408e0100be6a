"""Messages with parts to tap: buttons, lists, links, requests, products, flows."""
