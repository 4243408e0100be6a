"""Campaigns: the list, an editor with four steps, and the results."""

from flask import Blueprint

campaigns_pages = Blueprint("campaigns", __name__)
