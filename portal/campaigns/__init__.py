"""Campaigns: a list, an editor of four steps, and what became of each."""

from flask import Blueprint

campaigns_pages = Blueprint("campaigns", __name__)
