"""Read the formats in which form builders post a submission into plain answers."""

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from io import BytesIO
from typing import Any
from urllib.parse import parse_qsl

from werkzeug.exceptions import HTTPException
from werkzeug.formparser import FormDataParser
from werkzeug.http import parse_options_header

from webhooks.inbound import reasons
from webhooks.stores.base import (
    FormAnswer,
    UnreadableBody,
    check_texts,
    objects_in,
    read_object,
    text_of,
    value_at,
)

MAX_FIELDS = 200
MAX_ANSWER_LENGTH = 2000
DEPTH = 3
# Fields that builders add and nobody filled in.
IGNORED_FIELDS = {
    *("form_id", "formid", "form_name", "form_title", "submission_id", "entry_id", "id"),
    *("remote_ip", "ip", "user_agent", "page_url", "powered_by", "created_at", "referer_title"),
    *("post_id", "queried_id", "_wpcf7", "_wpnonce", "g-recaptcha-response"),
}
SUBMISSION_IDS = ("submission_id", "entry_id", "id")
_CAMEL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")
_QUESTION = re.compile(r"q[0-9]+_")
_BRACKETS = re.compile(r"\[([^\[\]]*)\]")


@dataclass
class Submission:
    """`id` is empty if the builder provides none."""

    builder: str
    id: str = ""
    name: str = ""
    answers: list[FormAnswer] = field(default_factory=list)


def read_submission(body: bytes, content_type: str) -> Submission:
    """Read the post of any builder. Raises UnreadableBody."""
    mimetype, options = parse_options_header(content_type)
    start = body.lstrip()[:2]
    if mimetype == "application/json" or mimetype.endswith("+json") or start[:1] == b"{":
        return _of_object(read_object(body))
    if mimetype == "multipart/form-data" or start == b"--":
        options.setdefault(
            "boundary", body.lstrip().split(b"\n", 1)[0].strip()[2:].decode("latin-1")
        )
        return _of_pairs(_multipart(body, options))
    return _of_pairs(_urlencoded(body))


def _of_object(payload: dict[str, Any]) -> Submission:
    if isinstance(value_at(payload, "form_response", "answers"), list):
        return _typeform(payload)
    if isinstance(value_at(payload, "data", "fields"), list) and text_of(payload.get("eventType")):
        return _tally(payload)
    if isinstance(payload.get("rawRequest"), str):
        return _jotform(payload)
    if isinstance(payload.get("fields"), dict):
        return _named_fields(payload)
    if items := {key: one for key, one in payload.items() if _is_item(one)}:
        named = _named_fields({"fields": items})
        return _made(
            "google_forms", _first(payload, *SUBMISSION_IDS), _title(payload), named.answers
        )
    answers = [
        _answer(key, key, value)
        for key, value in _flat(payload)
        if key.lower() not in IGNORED_FIELDS and value
    ]
    return _made("other", _first(payload, *SUBMISSION_IDS), _title(payload), answers)


def _is_item(one: Any) -> bool:
    """An answer under its item's id: `{"type": "TEXT", "title": "Phone", "value": "0532 …"}`."""
    return isinstance(one, dict) and "value" in one and isinstance(one.get("title"), str)


def _of_pairs(pairs: dict[str, Any]) -> Submission:
    check_texts(pairs)
    if "rawRequest" in pairs:
        return _jotform(pairs)
    if any(key.startswith("fields[") for key in pairs):
        return _named_fields(_nested(pairs))
    return _of_object(pairs)


def _typeform(payload: dict[str, Any]) -> Submission:
    response = payload["form_response"]
    titles = {
        text_of(one.get("id")): text_of(one.get("title"), 200)
        for one in objects_in(value_at(response, "definition", "fields"))
    }
    answers = []
    for one in objects_in(response["answers"]):
        field_id, kind = text_of(value_at(one, "field", "id")), text_of(one.get("type"))
        label = titles.get(field_id) or text_of(value_at(one, "field", "ref")) or field_id
        field_type = text_of(value_at(one, "field", "type")) or kind
        answers.append(_answer(field_id, label, one.get(kind), field_type))
    hidden = value_at(response, "hidden")
    if isinstance(hidden, dict):
        answers += [_answer(key, key, value, "hidden") for key, value in hidden.items()]
    name = text_of(value_at(response, "definition", "title"))
    submission_id = text_of(response.get("token")) or text_of(payload.get("event_id"))
    return _made("typeform", submission_id, name, answers)


def _tally(payload: dict[str, Any]) -> Submission:
    data = payload["data"]
    answers = []
    for one in objects_in(data["fields"]):
        names = {
            text_of(o.get("id")): text_of(o.get("text")) for o in objects_in(one.get("options"))
        }
        value = one.get("value")
        if isinstance(value, list):
            value = [names.get(text_of(each), each) for each in value]
        key = text_of(one.get("key"))
        label = text_of(one.get("label"), 200) or key
        answers.append(_answer(key, label, value, text_of(one.get("type"))))
    submission_id = text_of(data.get("submissionId")) or text_of(data.get("responseId"))
    submission_id = submission_id or text_of(payload.get("eventId"))
    return _made("tally", submission_id, text_of(data.get("formName")), answers)


def _jotform(payload: dict[str, Any]) -> Submission:
    try:
        filled = json.loads(payload["rawRequest"], parse_float=str)
    except (ValueError, RecursionError):
        raise UnreadableBody(reasons.RAW_REQUEST_NOT_JSON) from None
    if not isinstance(filled, dict):
        raise UnreadableBody(reasons.RAW_REQUEST_NOT_OBJECT)
    check_texts(filled)
    answers = []
    for key, value in filled.items():
        if _QUESTION.match(key):
            label = _CAMEL.sub(" ", _QUESTION.sub("", key))
            answers.append(_answer(key, label[:1].upper() + label[1:], value))
    name = text_of(payload.get("formTitle"))
    return _made("jotform", text_of(payload.get("submissionID")), name, answers)


def _named_fields(payload: dict[str, Any]) -> Submission:
    """Elementor with advanced data, WPForms and others: fields as objects with a value."""
    answers = []
    builder = "elementor" if isinstance(payload.get("form"), dict) else "wpforms"
    for key, one in list(payload["fields"].items())[:MAX_FIELDS]:
        if isinstance(one, dict):
            label = text_of(one.get("title"), 200) or text_of(one.get("name"), 200) or str(key)
            value = one.get("value") or one.get("raw_value")
            answers.append(_answer(str(key), label, value, text_of(one.get("type"))))
        else:
            answers.append(_answer(str(key), str(key), one))
    name = text_of(value_at(payload, "form", "name")) or _title(payload)
    return _made(builder, _first(payload, "entry_id", "submission_id", "id"), name, answers)


def _made(builder: str, submission_id: str, name: str, answers: list[FormAnswer]) -> Submission:
    named = [one for one in answers[:MAX_FIELDS] if one.key]
    if not named:
        raise UnreadableBody(reasons.NO_FIELDS)
    return Submission(builder, submission_id[:120], name, named)


def _answer(key: str, label: str, value: Any, kind: str = "") -> FormAnswer:
    return FormAnswer(text_of(key, 120), text_of(label, 200), _value(value), text_of(kind, 40))


def _value(value: Any) -> str:
    """Names, phones and choices come in parts."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, list):
        return ", ".join(filter(None, (_value(one) for one in value[:50])))
    if isinstance(value, dict):
        if "labels" in value or "label" in value:
            return _value(value.get("labels") or value.get("label"))
        if text_of(value.get("full")):
            return text_of(value["full"])
        if text_of(value.get("phone")):
            return _phone(value)
        texts = [text_of(one) for one in value.values() if text_of(one)]
        return " ".join(texts)
    return text_of(value, MAX_ANSWER_LENGTH)


def _phone(value: dict[str, Any]) -> str:
    """Join the parts of a phone; it is international only with a country code."""
    code = text_of(value.get("country"), 6).lstrip("+0")
    number = "".join((text_of(value.get("area"), 10), text_of(value.get("phone"), 20)))
    return f"+{code}{number.lstrip('0')}" if code.isdigit() else number


def _flat(payload: dict[str, Any], before: str = "", depth: int = 1) -> Iterator[tuple[str, Any]]:
    for key, value in list(payload.items())[:MAX_FIELDS]:
        name = f"{before}{key}"
        if isinstance(value, dict) and depth < DEPTH and not {"full", "phone"} & value.keys():
            yield from _flat(value, f"{name}.", depth + 1)
        else:
            yield name, value


def _nested(pairs: dict[str, Any]) -> dict[str, Any]:
    """``fields[phone][value]=…`` as nested objects."""
    made: dict[str, Any] = {}
    for key, value in pairs.items():
        path = [key.partition("[")[0], *_BRACKETS.findall(key)][: DEPTH + 1]
        place = made
        for name in path[:-1]:
            inner = place.setdefault(name, {})
            if not isinstance(inner, dict):
                break
            place = inner
        else:
            place[path[-1]] = value
    return made


def _urlencoded(body: bytes) -> dict[str, Any]:
    try:
        pairs = parse_qsl(body.decode(), keep_blank_values=True, max_num_fields=MAX_FIELDS * 5)
    except UnicodeDecodeError:
        raise UnreadableBody(reasons.BODY_NOT_UTF8) from None
    except ValueError:
        raise UnreadableBody(reasons.TOO_MANY_FIELDS) from None
    return _group_repeated(pairs)


def _multipart(body: bytes, options: dict[str, str]) -> dict[str, Any]:
    parser = FormDataParser(max_form_memory_size=len(body), max_form_parts=MAX_FIELDS * 5)
    try:
        _, fields, _ = parser.parse(BytesIO(body), "multipart/form-data", len(body), options)
    except (ValueError, HTTPException):
        raise UnreadableBody(reasons.NOT_MULTIPART) from None
    return _group_repeated([(key, value) for key, value in fields.items(multi=True)])


def _group_repeated(pairs: list[tuple[str, str]]) -> dict[str, Any]:
    """A repeated name, such as a group of checkboxes, keeps all its values."""
    if not pairs:
        raise UnreadableBody(reasons.BODY_EMPTY)
    found: dict[str, Any] = {}
    for key, value in pairs:
        name = key.removesuffix("[]")
        if name in found:
            before = found[name]
            found[name] = [*(before if isinstance(before, list) else [before]), value]
        else:
            found[name] = value
    return found


def _title(payload: dict[str, Any]) -> str:
    return _first(payload, "form_name", "formTitle", "form_title", "formName")


def _first(payload: dict[str, Any], *names: str) -> str:
    return next(filter(None, (text_of(payload.get(name)) for name in names)), "")
