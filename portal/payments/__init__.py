"""Payments: links, payments, refunds, provider events and the providers themselves."""

from flask import Blueprint

payments_pages = Blueprint("payments", __name__, url_prefix="/payments")
