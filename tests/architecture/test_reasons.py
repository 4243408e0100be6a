"""Reasons are compared by code: no module of a domain compares sentences that people read."""

import ast
from collections.abc import Iterator
from functools import cache
from itertools import chain
from pathlib import Path

import pytest
from babel.messages.pofile import read_po

from tests.conftest import ROOT

DOMAINS = ("core", "tenants", "webhooks", "messaging", "printing", "restaurant", "jobs", "api")
CATALOG = ROOT / "core/i18n/translations/tr/LC_MESSAGES/messages.po"
SEARCHES = {"startswith", "endswith", "removeprefix", "partition", "find", "index", "count"}


@cache
def sentences() -> frozenset[str]:
    """Texts of several words; a single word may also be a code."""
    with CATALOG.open("rb") as file:
        catalog = read_po(file, locale="tr")
    texts = chain.from_iterable([m.id] if isinstance(m.id, str) else m.id for m in catalog)
    return frozenset(text for text in texts if " " in text)


@cache
def modules() -> dict[Path, ast.Module]:
    return {
        path: ast.parse(path.read_text("utf-8"))
        for domain in DOMAINS
        for path in sorted((ROOT / domain).rglob("*.py"))
    }


def is_sentence(node: ast.AST) -> bool:
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "N_":
        return True
    return (
        isinstance(node, ast.Constant)
        and isinstance(node.value, str)
        and node.value.strip() in sentences()
    )


def sentence_names(module: ast.Module) -> set[str]:
    """Constants of a module that hold a sentence."""
    return {
        target.id
        for node in module.body
        if isinstance(node, ast.Assign) and is_sentence(node.value)
        for target in node.targets
        if isinstance(target, ast.Name)
    }


def compared(module: ast.Module) -> Iterator[ast.expr]:
    for node in ast.walk(module):
        if isinstance(node, ast.Compare):
            for side in (node.left, *node.comparators):
                yield from side.elts if isinstance(side, ast.Tuple | ast.List | ast.Set) else [side]
        elif (
            isinstance(node, ast.Call)
            and isinstance(node.func, ast.Attribute)
            and node.func.attr in SEARCHES
        ):
            yield from node.args


def sentence_comparisons(module: ast.Module) -> list[int]:
    own = sentence_names(module)
    return [
        one.lineno
        for one in compared(module)
        if is_sentence(one) or (isinstance(one, ast.Name) and one.id in own)
    ]


@pytest.mark.parametrize(
    "code",
    [
        "if order.note == {sentence}: pass",
        "if text.startswith({sentence}): pass",
        "query.where(Run.because != {sentence})",
        "LATE = N_('any')\nif why in (EARLY, LATE): pass",
    ],
)
def test_a_comparison_with_a_sentence_is_found(code):
    module = ast.parse(code.format(sentence=repr(min(sentences()))))
    assert len(sentence_comparisons(module)) == 1


def test_no_domain_compares_sentences():
    found = [
        f"{path.relative_to(ROOT)}:{line}"
        for path, module in modules().items()
        for line in sentence_comparisons(module)
    ]
    assert not found


def test_a_sentence_of_another_module_is_not_compared():
    """`module.CONSTANT` where that constant holds a sentence."""
    constants = {
        (path.stem, name) for path, module in modules().items() for name in sentence_names(module)
    }
    found = [
        f"{path.relative_to(ROOT)}:{one.lineno}"
        for path, module in modules().items()
        for one in compared(module)
        if isinstance(one, ast.Attribute)
        and isinstance(one.value, ast.Name)
        and (one.value.id, one.attr) in constants
    ]
    assert not found
