"""Questions are answered from the menu, the opening hours and the guest's orders only."""

import pytest

from restaurant.menus import menus, publishing
from restaurant.sites import sites
from tests.restaurant.text_orders.grill import STRANGER, open_grill


@pytest.fixture
def grill(restaurant):
    return open_grill(restaurant)


def test_a_soup_without_milk_is_found_on_the_menu(grill):
    answer = grill.writes("is there a soup without milk?")
    assert "Our menu does not list milk for:" in answer.text
    assert "Lentil Soup: ₺90.00" in answer.text
    assert "Yogurt Soup" not in answer.text
    assert "allergy" in answer.text


def test_the_same_in_turkish(grill):
    answer = grill.writes("sütsüz çorba var mı")
    assert "Mercimek Çorbası" in answer.text
    assert "Yayla" not in answer.text


def test_nothing_is_told_if_the_menu_lists_no_allergens(grill):
    with grill.scope():
        for item in menus.items(grill.menu_id):
            menus.change_item(item.id, {"allergens": []})
        publishing.publish(grill.menu_id)
    assert grill.writes("is there a soup without milk?") is None
    _, unread, notes = grill.conversation()
    assert (unread, len(notes)) == (1, 1)


@pytest.mark.parametrize(
    "text",
    ["I am allergic to nuts, is there anything I can eat?", "çölyak hastasıyım, ne var mı?",
     "does the lahmacun have a licence for pregnant women?"],
)  # fmt: skip
def test_questions_about_health_go_to_a_person(grill, text):
    assert grill.writes(text) is None
    _, unread, notes = grill.conversation()
    assert unread == 1
    assert text in notes[0]


def test_diets_are_those_that_the_menu_marks(grill):
    answer = grill.writes("do you have anything vegan?")
    assert "marked as vegan" in answer.text
    assert "Lentil Soup" in answer.text
    assert "Lahmacun" not in answer.text


def test_a_diet_that_nothing_is_marked_with_goes_to_a_person(grill):
    assert grill.writes("is there anything kosher?") is None


def test_prices_and_dishes_are_those_of_the_menu(grill):
    assert "₺340,00" in grill.writes("adana ne kadar?").text
    assert "Ayran" in grill.writes("ayran var mı?").text
    assert "bulamadık" in grill.writes("sushi var mı?").text


def test_opening_hours(grill):
    assert grill.writes("açık mısınız?").text == "Evet, açığız."
    with grill.scope():
        sites.change(grill.site_id, {"hours": {str(day): [["00:00", "23:59"]] for day in range(7)}})
    assert "until" in grill.writes("are you open?").text
    with grill.scope():
        sites.change(grill.site_id, {"hours": {"0": [["03:00", "03:01"]]}})
    assert "closed" in grill.writes("are you open now?").text


def test_where_is_my_order_is_about_the_guests_own_order(grill):
    grill.writes("bir ayran, masa 5")
    grill.taps("Mutfağa gönder")
    (order,) = grill.orders()
    answer = grill.writes("siparişim nerede?")
    assert order.number in answer.text
    assert "onay" in answer.text
    other = grill.writes("where is my order?", STRANGER)
    assert order.number not in other.text
    assert other.text == "You have no open order."


def test_a_polite_order_is_not_a_question(grill):
    assert "1 × Ayran" in grill.writes("bir ayran alabilir miyim? masa 5").text
    assert "2 × Tea" in grill.writes("can I have two teas? table 5", STRANGER).text
