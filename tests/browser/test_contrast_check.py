"""The contrast check finds unreadable text anywhere on a page."""

import pytest

from tests.browser.driver import unreadable_texts

pytestmark = pytest.mark.browser

ROWS = "".join(f"<li><span>Row {number}</span></li>" for number in range(40))
PAGE = f"""<!doctype html><html lang="en"><title>Eyes</title><style>
  body {{ background: #fff; color: #111 }} .faint {{ color: #ddd }} .dark {{ background: #333 }}
  .over {{ position: absolute; top: 0; background: #222 }}
</style><main><h1>Eyes</h1><ul>{ROWS}</ul>%s</main></html>"""


@pytest.fixture(scope="module")
def page(chromium):
    return chromium.new_page()


@pytest.mark.parametrize(
    ("wrong", "told"),
    [
        ("", None),
        ('<p class="faint">Too faint</p>', "Too faint"),
        ('<ul><li><span class="faint">Row 41</span></li></ul>', "Row 41"),
        ('<div class="dark"><ul><li><span>Row 42</span></li></ul></div>', "Row 42"),
        ('<p>Words <b class="faint">among words</b></p>', "among words"),
        ('<p class="over">Over</p><p class="over" style="top: 9em">Others</p>', "Others"),
        ('<label>Name <input class="faint" value="Derya"></label>', "input"),
        ("<input>", "input"),
        ('<img src="data:,">', "img"),
    ],
)
def test_what_cannot_be_read_is_found(page, wrong, told):
    page.set_content(PAGE % wrong)
    found = "\n".join(unreadable_texts(page, "light"))
    assert (told in found) if told else not found


def test_a_theme_that_was_readable_is_not_checked_again_but_the_others_are(page):
    readable: set[str] = set()

    def found(wrong, theme="light"):
        page.set_content(PAGE % wrong)
        return "\n".join(unreadable_texts(page, theme, readable))

    assert not found("")
    assert readable
    before = set(readable)
    for _ in range(2):  # an unreadable text is not cached as readable
        assert "Too faint" in found('<p class="faint">Too faint</p>')
        assert "Row 42" in found('<div class="dark"><ul><li><span>Row 42</span></li></ul></div>')
    assert "Too faint" in found('<p class="faint">Too faint</p>', "dark")
    assert readable == before
    assert not found('<p style="color: #888; font-size: 30px">Large</p>')
    assert "Small" in found('<p style="color: #888">Small</p>')
    solid = '<div style="background: #fff">Solid</div>'
    assert not found(solid)
    assert "Solid" in found(f'<div style="opacity: 0.4">{solid}</div>')
    assert "img" in found('<img src="data:,">'), "other rules look at the whole page"
    # Floating elements without a background are checked on every page.
    over = '<div class="dark"><br><br></div><p style="position: absolute; top: %s">Floats</p>'
    assert "Floats" not in found(over % "40em")
    assert not any("~" in look for look in readable)
