"""The inbox: a team's conversations with customers. Each module adds its routes."""

from flask import Blueprint

inbox = Blueprint("inbox", __name__)
