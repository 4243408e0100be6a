"""Reports: totals of a date range, compared with the previous range."""

from flask import Blueprint

reports = Blueprint("reports", __name__)
