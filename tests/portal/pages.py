"""Reading an answer of the portal as a person does."""

import html
import re

from werkzeug.test import TestResponse


def text_of(answer: TestResponse) -> str:
    """The words on the page, without its tags and scripts."""
    page = re.sub(r"<(script|style)\b.*?</\1>", " ", answer.get_data(as_text=True), flags=re.DOTALL)
    return " ".join(html.unescape(re.sub(r"<[^>]*>", " ", page)).split())


def title_of(answer: TestResponse) -> str:
    found = re.search(r"<h1[^>]*>(.*?)</h1>", answer.get_data(as_text=True), re.DOTALL)
    assert found, answer.get_data(as_text=True)[:500]
    return " ".join(html.unescape(re.sub(r"<[^>]*>", " ", found[1])).split())
