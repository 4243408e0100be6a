"""Payments: links, money and its way back, what providers told us, and the providers themselves."""

from flask import Blueprint

payments_pages = Blueprint("payments", __name__, url_prefix="/payments")
