"""The Jinja environment of the pages. A template is compiled once for each language.

A page calls `_("…")`, functions and macros hundreds of times. Texts without values are translated
when the template is compiled, so that they become part of the surrounding HTML, and calls skip
Jinja's search for functions that take the context as an argument.
"""

import re
from io import StringIO
from typing import Any, cast

from flask import Flask
from flask.templating import Environment
from jinja2 import BaseLoader, Template, nodes
from jinja2.compiler import CodeGenerator, Frame
from jinja2.environment import TemplateModule
from jinja2.runtime import Context, Macro
from jinja2.utils import missing
from jinja2.visitor import NodeTransformer
from markupsafe import Markup
from markupsafe import escape as markup_of

from portal.web.rendering.template_cache import language, rendering, translate, translated

TRANSLATORS = frozenset({"_", "gettext"})
# These pages get a `_` of their own, which reads the catalog of the guests or the couriers.
OTHER_CATALOGS = ("courier/", "diner/")
special_character = re.compile("[&<>'\"]").search


def escape_output(value: Any) -> str:
    """The text of a value in the page. Most values need no escaping."""
    kind = type(value)
    if kind is Markup or (kind is str and not special_character(value)):
        return value  # type: ignore[no-any-return]
    return str(value) if kind is int else markup_of(value)


class TextTranslator(NodeTransformer):
    """Replaces `_("…")` by the translation, or by a format if values are inserted."""

    def visit_Call(self, node: nodes.Call) -> nodes.Node:  # noqa: N802 - Jinja's name
        self.generic_visit(node)
        if not _is_text(node):
            return node
        message = node.args[0].as_const()
        if not node.kwargs:
            return _constant(translate(message), node)
        values = [nodes.Pair(_constant(one.key, node), one.value) for one in node.kwargs]
        found = nodes.Mod(_constant(translated(message), node), nodes.Dict(values))
        found.set_lineno(node.lineno)
        return found.set_environment(cast(Environment, node.environment))


def _is_text(node: nodes.Call) -> bool:
    return (
        isinstance(node.node, nodes.Name)
        and node.node.name in TRANSLATORS
        and len(node.args) == 1
        and isinstance(node.args[0], nodes.Const)
        and not (node.dyn_args or node.dyn_kwargs)
    )


def _constant(value: object, node: nodes.Call) -> nodes.Const:
    return nodes.Const(value, lineno=node.lineno, environment=node.environment)


class PageMacro(Macro):
    """A macro that is usually called with positional arguments only."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._plain = not (self.caller or self.catch_kwargs or self.catch_varargs)
        self._defaults = (missing,) * self._argument_count

    def __call__(self, *args: Any, **kwargs: Any) -> str:
        if kwargs or not self._plain or len(args) > self._argument_count:
            return super().__call__(*args, **kwargs)
        text = self._func(*args, *self._defaults[len(args) :])
        return str.__new__(Markup, text)  # escaped already; Markup() would look for `__html__`


class PageCodeGenerator(CodeGenerator):
    def visit_Template(self, node: nodes.Template, frame: Frame | None = None) -> None:  # noqa: N802
        self._constants: dict[str, str] = {}
        self.writeline(f"from {__name__} import PageMacro, escape_output")
        super().visit_Template(node, frame)
        self.writeline("Macro = PageMacro")  # replaces the class that Jinja imports
        for value, name in self._constants.items():
            self.writeline(f"{name} = {value}")

    def _write_constant(self, value: object) -> None:
        """Write a name for a value that is made once, when the template is loaded."""
        name = f"constant_{len(self._constants)}"
        self.write(self._constants.setdefault(repr(value), name))

    def visit_Const(self, node: nodes.Const, frame: Frame) -> None:  # noqa: N802
        if type(node.value) is Markup:
            self._write_constant(node.value)
        else:
            super().visit_Const(node, frame)

    def _output_child_pre(self, node: nodes.Expr, frame: Frame, finalize: Any) -> None:
        if frame.eval_ctx.autoescape and not frame.eval_ctx.volatile and finalize.src is None:
            self.write("escape_output(")
        else:
            super()._output_child_pre(node, frame, finalize)

    def visit_Call(  # noqa: N802
        self, node: nodes.Call, frame: Frame, forward_caller: bool = False
    ) -> None:
        """Call functions and macros directly, except those that take the context."""
        labels = _constant_labels(node, frame)
        if labels is not None:
            self._write_constant(labels)
            self.write(f".get({self._arguments(node, frame, forward_caller)})")
            return
        if self._takes_context(node.node):
            super().visit_Call(node, frame, forward_caller=forward_caller)
            return
        self.write("(")
        self.visit(node.node, frame)
        self.write(f")({self._arguments(node, frame, forward_caller)})")

    def _takes_context(self, called: nodes.Expr) -> bool:
        if not isinstance(called, nodes.Name):
            return False
        return hasattr(self.environment.globals.get(called.name), "jinja_pass_arg")

    def _arguments(self, node: nodes.Call, frame: Frame, forward_caller: bool) -> str:
        kept, self.stream = self.stream, StringIO()
        try:
            self.signature(node, frame, {"caller": "caller"} if forward_caller else None)
            return self.stream.getvalue().removeprefix(", ")
        finally:
            self.stream = kept


def _constant_labels(node: nodes.Call, frame: Frame) -> dict[Any, Any] | None:
    """The dictionary of `{"state": _("Name"), …}.get(…)`, if it consists of constants."""
    called = node.node
    if not (isinstance(called, nodes.Getattr) and called.attr == "get"):
        return None
    if not isinstance(called.node, nodes.Dict):
        return None
    try:
        return called.node.as_const(frame.eval_ctx)
    except nodes.Impossible:
        return None


class PageTemplate(Template):
    def render(self, *args: Any, **kwargs: Any) -> str:
        with rendering():
            return super().render(*args, **kwargs)

    def _get_default_module(self, ctx: Context | None = None) -> TemplateModule:  # noqa: ARG002
        """Jinja compares the globals of both templates first. Here they are always the same."""
        if self._module is None:
            self._module = self.make_module()
        return self._module


class PageEnvironment(Environment):
    code_generator_class = PageCodeGenerator
    template_class = PageTemplate

    def __init__(self, app: Flask, **options: Any) -> None:
        super().__init__(app, **options)
        self._compiled: dict[tuple[str, str], Template] = {}

    def _load_template(self, name: str, globals: Any) -> Template:  # noqa: A002 - Jinja's name
        key = (language(), name)
        found = self._compiled.get(key)
        if found is None or (self.auto_reload and not found.is_up_to_date):
            loader = cast(BaseLoader, self.loader)
            found = self._compiled[key] = loader.load(self, name, self.make_globals(globals))
        return found

    def _generate(
        self,
        source: nodes.Template,
        name: str | None,
        filename: str | None,
        defer_init: bool = False,
    ) -> str:
        if not (name or "").startswith(OTHER_CATALOGS):
            source = TextTranslator().visit(source)
        return super()._generate(source, name, filename, defer_init)
