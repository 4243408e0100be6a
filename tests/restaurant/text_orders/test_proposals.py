"""An order in a guest's own words becomes a proposal, and an order only with the guest's tap."""

from decimal import Decimal

import pytest

from restaurant.menus import availability, menus, publishing
from restaurant.orders import hold_reasons
from restaurant.sites import sites
from tests.restaurant.text_orders.grill import STRANGER, choices, open_grill


@pytest.fixture
def grill(restaurant):
    return open_grill(restaurant)


def test_words_become_a_proposal_with_the_servers_prices_and_no_order(grill):
    answer = grill.writes("iki lahmacun biri acısız, bir ayran, 5 numara")
    assert "1 × Lahmacun: ₺120,00\n  + Acılı" in answer.text.replace("\u00a0", "")
    assert "1 × Lahmacun: ₺120,00\n  + Acısız" in answer.text.replace("\u00a0", "")
    assert "Masa 5" in answer.text
    assert "₺285,00" in answer.text
    assert list(choices(answer)) == ["Mutfağa gönder", "Vazgeç", "Ekibe sor"]
    assert grill.orders() == []


def test_the_tap_makes_an_ordinary_order(grill):
    grill.writes("iki lahmacun biri acısız, bir ayran, 5 numara")
    grill.taps("Mutfağa gönder")
    (order,) = grill.orders()
    assert order.total == Decimal(285)
    assert (order.order_type, order.table_number, order.source) == ("dine_in", "5", "chat")
    assert grill.items(order) == [
        (1, "Lahmacun", ("Acılı",)), (1, "Lahmacun", ("Acısız",)), (1, "Ayran", ()),
    ]  # fmt: skip
    # Nobody has proved to sit there, so the staff confirm it, as with a typed table number.
    assert order.state == "awaiting_confirmation"
    assert hold_reasons.IN_OWN_WORDS in order.staff_note
    assert "biri acısız" in order.staff_note


def test_a_second_tap_makes_no_second_order(grill):
    answer = grill.writes("bir ayran, masa 5")
    grill.taps("Mutfağa gönder", answer=answer)
    again = grill.taps("Mutfağa gönder", answer=answer)
    assert len(grill.orders()) == 1
    assert "artık açık değil" in again.text


def test_corrections_change_the_open_proposal(grill):
    grill.writes("iki lahmacun ve bir ayran, masa 5")
    grill.writes("hayır, üç olsun")
    assert "3 × Ayran" in grill.answers()[-1].text
    grill.writes("ayran olmasın")
    answer = grill.writes("lahmacunun biri soğansız olsun")
    assert "Ayran" not in answer.text
    grill.taps("Mutfağa gönder")
    (order,) = grill.orders()
    assert grill.items(order) == [
        (1, "Lahmacun", ("Acılı",)), (1, "Lahmacun", ("Acılı", "Soğansız")),
    ]  # fmt: skip


def test_a_button_of_an_older_proposal_sends_nothing(grill):
    old = grill.writes("bir ayran, masa 5")
    grill.writes("üç tane olsun")
    answer = grill.taps("Mutfağa gönder", answer=old)
    assert grill.orders() == []
    assert "3 × Ayran" in answer.text


def test_another_guest_cannot_tap_it(grill):
    answer = grill.writes("bir ayran, masa 5")
    grill.writes("merhaba", STRANGER)
    grill.taps("Mutfağa gönder", STRANGER, answer=answer)
    assert grill.orders() == []
    assert grill.answers(STRANGER) == []


def test_a_price_that_changed_meanwhile_is_shown_first(grill):
    answer = grill.writes("bir ayran, masa 5")
    with grill.scope():
        item = next(one for one in menus.items(grill.menu_id) if one.texts["tr"]["name"] == "Ayran")
        menus.change_item(item.id, {"price": "50"})
        publishing.publish(grill.menu_id)
    shown = grill.taps("Mutfağa gönder", answer=answer)
    assert grill.orders() == []
    assert "₺50,00" in shown.text
    grill.taps("Mutfağa gönder", answer=shown)
    assert grill.orders()[0].total == Decimal(50)


def test_what_is_not_clear_is_asked_with_choices(grill):
    answer = grill.writes("bir çorba, masa 3")
    assert list(choices(answer)) == ["Mercimek Çorbası", "Yayla Çorbası", "Hiçbiri"]
    answer = grill.taps("Yayla Çorbası")
    assert "1 × Yayla Çorbası" in answer.text
    assert "Mutfağa gönder" in choices(answer)


def test_a_required_choice_without_a_preset_is_asked(grill):
    answer = grill.writes("one mixed pizza at table 3 please")
    assert "Size" in answer.text
    answer = grill.taps("Large")
    assert "₺340.00" in answer.text


def test_table_or_delivery_is_asked(grill):
    with grill.scope():
        sites.change(
            grill.site_id,
            {"order_types": ["dine_in", "takeaway", "delivery"], "payment_methods": ["cash"]},
        )
    answer = grill.writes("two teas please")
    assert list(choices(answer)) == ["At the table", "Pickup", "Delivery"]
    answer = grill.taps("Delivery")
    assert answer.kind == "location_request"
    answer = grill.writes("Galip Dede Cd. 15")
    assert "Galip Dede Cd. 15" in answer.text
    grill.taps("Send to kitchen")
    (order,) = grill.orders()
    assert (order.order_type, order.payment_method) == ("delivery", "cash")
    assert order.address["text"] == "Galip Dede Cd. 15"


def test_the_table_is_asked_and_must_exist(grill):
    with grill.scope():
        sites.change(grill.site_id, {"order_types": ["dine_in"]})
    assert "Hangi masa" in grill.writes("iki çay").text
    assert "99" in grill.writes("99").text
    assert "Masa 4" in grill.writes("4").text


def test_typing_yes_is_not_a_tap(grill):
    grill.writes("bir ayran, masa 5")
    answer = grill.writes("evet tamam")
    assert grill.orders() == []
    assert "düğmesine dokunun" in answer.text


def test_the_title_of_the_button_can_be_typed(grill):
    grill.writes("bir ayran, masa 5")
    grill.writes("mutfağa gönder")
    assert len(grill.orders()) == 1


def test_doubt_goes_to_the_team_with_a_draft(grill):
    grill.writes("iki lahmacun, masa 5")
    grill.writes("xyzabc qwerty plugh")
    draft, unread, notes = grill.conversation()
    assert unread == 1
    assert "2 × Lahmacun" in draft
    assert "xyzabc" in notes[-1]
    assert "ekibimize ilettik" in grill.answers()[-1].text
    # The team answers from here on.
    assert grill.writes("bir de ayran") is None


def test_discarding_and_the_word_iptal_end_the_proposal_and_are_no_opt_out(grill):
    grill.writes("bir ayran, masa 5")
    assert "Mutfağa hiçbir şey" in grill.taps("Vazgeç").text
    grill.writes("bir ayran, masa 5")
    assert "Mutfağa hiçbir şey" in grill.writes("iptal").text
    assert grill.orders() == []
    assert grill.proposal().state == "cancelled"


def test_without_the_switch_nothing_is_read(grill):
    with grill.scope():
        sites.change(grill.site_id, {"orders_in_words": False})
    assert grill.writes("iki lahmacun, masa 5") is None
    assert grill.proposal() is None


def test_small_talk_stays_in_the_inbox(grill):
    assert grill.writes("Merhaba, cumartesi akşamı sekiz kişilik rezervasyon mümkün mü") is None
    assert grill.proposal() is None


def test_what_is_sold_out_is_left_out_and_said(grill):
    with grill.scope():
        item = next(one for one in menus.items(grill.menu_id) if one.texts["tr"]["name"] == "Ayran")
        availability.mark_sold_out(sites.get(grill.site_id), item.id, None)
    answer = grill.writes("bir ayran bir çay, masa 5")
    assert "tükendi" in answer.text
    assert "1 × Çay" in answer.text
    assert "× Ayran" not in answer.text


def test_a_closed_restaurant_says_when_it_opens(grill):
    with grill.scope():
        sites.change(grill.site_id, {"hours": {"0": [["03:00", "03:01"]]}})
    assert grill.writes("bir ayran, masa 5").text
    assert grill.proposal() is None
