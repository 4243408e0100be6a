"""Every help link leads to a guide that exists."""

import re

from portal.developers.guide_catalog import DOCS
from portal.developers.help_links import GUIDE_OF_AREA, help_for


def test_every_guide_that_is_named_is_written():
    assert {name for name in GUIDE_OF_AREA.values() if not (DOCS / f"{name}.md").is_file()} == set()


def test_every_area_of_the_portal_has_a_guide(app):
    areas = {
        rule.endpoint.partition(".")[0]
        for rule in app.url_map.iter_rules()
        if getattr(app.view_functions[rule.endpoint], "guard", "open")
        not in ("open", "operator", "signed in")
    }
    assert {area for area in areas if not help_for(f"{area}.index")} <= {"live", "phones", "photos"}
    assert set(GUIDE_OF_AREA) <= areas | {rule.endpoint for rule in app.url_map.iter_rules()}


def test_a_page_shows_the_way_to_its_guide(browser, restaurant, client):
    browser.signs_in(restaurant.owner)
    page = browser.get("/printers").get_data(as_text=True)
    (link,) = re.findall(r'page-help" href="([^"]+)"', page)
    assert link == "/docs/printing"
    assert client.get(link).status_code == 200
