import pytest

from tests.webhooks.endpoint_cast import Receiver


@pytest.fixture
def receive():
    """A customer's server, as many as are asked for."""
    made = []

    def make(*answers):
        made.append(Receiver(*answers))
        return made[-1]

    yield make
    for one in made:
        one.close()
