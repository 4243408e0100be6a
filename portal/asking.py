"""Destructive acts: a GET asks and says what will happen, a POST to the same address does it."""

from collections.abc import Callable
from typing import Any

from flask import flash, redirect, render_template, request

from core.errors import DomainError, NotFound
from portal.words import in_words


def ask_then(
    act: Callable[[], object],
    *,
    title: str,
    text: str,
    yes: str,
    back_url: str,
    done: str,
    done_url: str = "",
    calm: bool = False,
) -> Any:
    """`act` opens its own scope. A refusal is said on the page the person came from."""
    if request.method == "GET":
        return render_template(
            "shared/confirm.html", title=title, text=text, yes=yes, back_url=back_url, calm=calm
        )
    try:
        act()
    except NotFound:
        raise
    except DomainError as error:
        flash(in_words(error), "error")
        return redirect(back_url)
    flash(done, "success")
    return redirect(done_url or back_url)
