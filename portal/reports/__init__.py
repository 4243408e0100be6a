"""Reports: what a stretch of days came to, beside the stretch before it."""

from flask import Blueprint

reports = Blueprint("reports", __name__)
