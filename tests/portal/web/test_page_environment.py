"""Templates are compiled for each language; texts, calls and escaping work as in plain Jinja."""

import pytest
from flask import render_template
from flask_babel import force_locale
from jinja2 import UndefinedError, pass_context


@pytest.fixture
def render(app):
    """Renders the source of a template for an English reader."""
    with app.test_request_context("/", headers={"Accept-Language": "en"}):
        yield lambda source, **values: app.jinja_env.from_string(source).render(**values)


def test_a_template_is_compiled_for_each_language(app):
    with app.test_request_context("/", headers={"Accept-Language": "en"}):
        for _ in range(2):  # compiled, then cached
            assert "Sign in" in render_template("layout/signed_out_links.html")
            with force_locale("tr"):
                page = render_template("layout/signed_out_links.html")
            assert "Giriş yap" in page
            assert "Sign in" not in page


def test_texts_are_translated_and_their_values_escaped(render):
    source = (
        '{{ _("Your account: %(name)s", name=name) }}{{ [_("Sign in")][0] }}{{ gettext(word) }}'
    )
    assert render(source, name="<b>", word="Sign in") == "Your account: &lt;b&gt;Sign inSign in"
    with force_locale("tr"):
        assert render('{% set text = _("Sign in") %}{{ text }}') == "Giriş yap"


def test_labels_are_looked_up_in_the_readers_language(render):
    source = """{{ {"in": _("Sign in"), "out": "<i>"}.get(word, other) }}"""
    assert render(source, word="in", other="") == "Sign in"
    assert render(source, word="out", other="") == "&lt;i&gt;"
    assert render(source, word="else", other="&") == "&amp;"
    with force_locale("tr"):
        assert render(source, word="in", other="") == "Giriş yap"


def test_output_is_escaped_once(render):
    source = "{{ a }}{{ b }}{{ c }}{% macro m(x) %}<i>{{ x }}</i>{% endmacro %}{{ m(a) }}"
    assert render(source, a="<'&\">", b=7, c=None) == (
        "&lt;&#39;&amp;&#34;&gt;7None<i>&lt;&#39;&amp;&#34;&gt;</i>"
    )


def test_macros_get_their_arguments_and_their_caller(render):
    source = (
        "{% macro m(x, y=2) %}{{ x }}{{ y }}{{ kwargs.z }}{{ caller(x) }}{% endmacro %}"
        "{% call(n) m(1, z=3) %}<b>{{ n }}</b>{% endcall %}"
    )
    assert render(source) == "123<b>1</b>"


def test_functions_that_take_the_context_get_it(app, render):
    app.jinja_env.globals["name_in_context"] = pass_context(lambda context: context["name"])
    try:
        assert render("{{ name_in_context() }}", name="Ada") == "Ada"
    finally:
        del app.jinja_env.globals["name_in_context"]


def test_a_missing_function_is_named(render):
    with pytest.raises(UndefinedError, match="'nothing' is undefined"):
        render("{{ nothing() }}")
