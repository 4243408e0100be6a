"""What a simulated phone calls a business."""

from core.security.signing import read_token
from messaging.lines.simulated_line import add_simulated_line
from messaging.token_purposes import LINE


def shown(line):
    return read_token("secret", LINE, line.token)["name"]


def test_a_simulated_phone_names_the_business(restaurant):
    """Chats with several businesses are not all called "Test line"."""
    with restaurant.scope():
        live = add_simulated_line("Front desk", "http://localhost", "secret", test=False)
        trial = add_simulated_line("Test line", "http://localhost", "secret", test=True)
        assert shown(live) == "Lokanta Mavi"
        assert shown(trial) == "Lokanta Mavi · Test line"
