"""Lines for the cast."""

from messaging import lines_book
from messaging.models import Line
from tests.cast import Business


def give_line(business: Business, *, default: bool = True, test: bool = False) -> Line:
    with business.scope():
        return lines_book.add_cloud_line(
            "Front desk",
            "905550000000",
            f"10{business.tenant_id}",
            "token",
            "app-secret",
            network="simulator",
            default=default,
            test=test,
        )
