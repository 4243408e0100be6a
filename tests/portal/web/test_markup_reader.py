"""The fast reader of pages finds what html.parser finds."""

from html.parser import HTMLParser

from tests.portal.markup_reader import MarkupReader

PAGE = """<!doctype html>
<html lang="en"><head><title>Tables &amp; areas</title>
<script nonce="x">if (1 < 2 && "</p>") { go(); }</script><style>a > b { color: red }</style></head>
<body class="app" data-open><!-- <p>not shown</p> -->
<a href="/orders?a=1&amp;b=2" title='A "quoted" > title'>Orders&nbsp;today</a><br>
<input value="" disabled><img src="/logo.svg" alt="5 > 3"><h2>Bread</h2>
<svg class="icon"><path d="M0 0"></path></svg><p>2 &lt; 3</p>the end
</body></html>
"""


def events_of(reader: type) -> list[tuple[object, ...]]:
    found: list[tuple[object, ...]] = []

    class Recorder(reader):
        def handle_starttag(self, tag, attributes):
            found.append((tag, [(name, text or "") for name, text in attributes]))

        def handle_endtag(self, tag):
            found.append(("/", tag))

        def handle_data(self, text):
            found.append((text,))

    Recorder().feed(PAGE)
    return found


def test_it_reads_what_the_library_reads():
    assert events_of(MarkupReader) == events_of(HTMLParser)
