"""The inbox: conversations with customers, shared by a team. Each module adds its pages."""

from flask import Blueprint

inbox = Blueprint("inbox", __name__)
