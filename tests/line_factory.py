"""Lines of test businesses."""

from messaging.lines import repository as line_repository
from messaging.models import Line
from tests.factories import Business


def make_line(business: Business, *, default: bool = True, test: bool = False) -> Line:
    with business.scope():
        return line_repository.add_cloud_line(
            "Front desk",
            "905550000000",
            f"10{business.tenant_id}",
            "token",
            "app-secret",
            network="simulator",
            default=default,
            test=test,
        )
