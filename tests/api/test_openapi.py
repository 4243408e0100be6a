"""The OpenAPI document is valid and accurate, and the API accepts everything it allows."""

import json
from functools import cache
from itertools import islice

import jsonschema_rs
import pytest
from hypothesis import given
from hypothesis import settings as hypothesis_settings

from api.openapi_routes import TAGS
from core.openapi.field_descriptions import FIELDS


@pytest.fixture
def document(client, app):
    answer = client.get("/api/v1/openapi.json")
    assert answer.status_code == 200
    return answer.json


def operations(document):
    for path, item in document["paths"].items():
        for method, operation in item.items():
            if method in ("get", "post", "put", "patch", "delete"):
                yield path, method, operation


def refs(value):
    if isinstance(value, dict):
        for name, inner in value.items():
            if name == "$ref":
                yield inner
            else:
                yield from refs(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from refs(inner)


def test_it_is_openapi_3_1_with_our_label(document):
    assert document["openapi"].startswith("3.1")
    assert document["info"]["version"] == "1.4"
    assert document["servers"] == [{"url": "http://localhost"}]
    assert document["components"]["securitySchemes"]["bearer"]["scheme"] == "bearer"


def test_groups_have_the_same_fixed_order_everywhere(client, document):
    assert [tag["name"] for tag in document["tags"]] == list(TAGS)
    folders = client.get("/docs/postman.json").json["item"]
    assert [folder["name"] for folder in folders] == list(TAGS)
    page = client.get("/reference").get_data(as_text=True)
    places = [page.index(f'id="group-{name.lower().replace(" ", "-")}"') for name in TAGS]
    assert places == sorted(places)


def test_every_reference_in_it_leads_somewhere(document):
    found = list(refs(document))
    assert found
    for ref in found:
        place = document
        for step in ref.removeprefix("#/").split("/"):
            place = place[step]


def test_every_shape_in_it_is_a_json_schema(document):
    shapes = document["components"]["schemas"]
    assert "ErrorBody" in shapes
    for name, shape in shapes.items():
        jsonschema_rs.meta.validate(
            {"$schema": "https://json-schema.org/draft/2020-12/schema", **shape}
        )
        assert {"properties", "enum", "oneOf"} & set(shape), name


def test_every_operation_is_described_and_closed(document):
    ids = []
    for path, method, operation in operations(document):
        ids.append(operation["operationId"])
        assert operation["summary"], path
        assert operation["security"] == [{"bearer": []}], (method, path)
        assert {"401", "429", "503"} <= set(operation["responses"]), (method, path)
        for status in ("401", "429", "503"):
            shape = operation["responses"][status]["content"]["application/json"]["schema"]
            assert shape["$ref"].endswith("/ErrorBody"), (method, path, status)
    assert len(ids) == len(set(ids))


def test_every_route_of_the_api_is_in_it(app, document):
    described = {(path, method.upper()) for path, method, _ in operations(document)}
    for rule in app.url_map.iter_rules():
        if rule.endpoint.startswith("v1."):
            path = (
                rule.rule.replace("<", "{")
                .replace(">", "}")
                .replace("int:", "")
                .replace("path:", "")
            )
            for method in rule.methods - {"HEAD", "OPTIONS"}:
                assert (path, method) in described


def test_an_answer_is_as_described(app, client, document, restaurant):
    for path, headers in (("/api/v1/me", restaurant.bearer), ("/api/v1/me", {})):
        answer = client.get(path, headers=headers)
        described = document["paths"][path]["get"]["responses"][str(answer.status_code)]
        shape = described["content"]["application/json"]["schema"]
        whole = {**shape, "components": document["components"]}
        jsonschema_rs.validator_for(whole).validate(json.loads(answer.get_data()))


def test_every_body_and_answer_has_an_example_that_holds(document):
    whole = {"components": document["components"]}

    @cache
    def validator(shape):
        """Cached by shape; validators give the same errors at every call."""
        return jsonschema_rs.validator_for({**json.loads(shape), **whole})

    for path, method, operation in operations(document):
        parts = [*operation["responses"].values(), operation.get("requestBody") or {}]
        for content in (part.get("content", {}).get("application/json") for part in parts):
            if content:
                validator(json.dumps(content["schema"])).validate(content["example"])
                assert "…" not in json.dumps(content["example"]), (method, path)
        for parameter in operation.get("parameters", []):
            if parameter["required"]:
                validator(json.dumps(parameter["schema"])).validate(parameter["example"])


def test_the_page_to_read_it_is_served_from_here(client, app):
    answer = client.get("/api/v1/docs", follow_redirects=True)
    assert answer.status_code == 200
    page = answer.get_data(as_text=True)
    assert "/api/v1/openapi.json" in page or "openapi" in page
    assert "cdn." not in page
    assert "unpkg" not in page


SHARED_OUT = 8  # parts, distributed among the test processes


@pytest.fixture(scope="module")
def generated(app):
    """The operations as schemathesis reads them, loaded once for all parts.

    The import is here because it takes a second in every process that needs it.
    """
    import schemathesis

    schema = schemathesis.openapi.from_wsgi("/api/v1/openapi.json", app)
    return list(schema.get_all_operations())


@pytest.mark.parametrize("part", range(SHARED_OUT))
def test_whatever_is_sent_no_server_error_comes_back(app, restaurant, generated, part):
    """Call each operation with everything its description allows, and check the response."""
    from schemathesis import checks

    not_ours = [
        # It mistakes the key that this test adds for the invalid key it generated.
        checks.ignored_auth,
        # A schema cannot express whether a phone number or a line exists.
        checks.positive_data_acceptance,
    ]
    tried = 0
    for found in islice(generated, part, None, SHARED_OUT):
        operation = found.ok()

        @given(case=operation.as_strategy())
        @hypothesis_settings(max_examples=12, deadline=None, database=None)
        def holds(case):
            answer = case.call(headers=restaurant.bearer)
            assert answer.status_code < 500
            assert answer.headers["x-request-id"]
            case.validate_response(answer, excluded_checks=not_ours)

        holds()
        tried += 1
    assert tried > 5


def test_descriptions_by_name_are_used_and_say_more_than_the_name(document):
    """Fields such as `kind` or `state` are described where their values are known."""
    shapes = document["components"]["schemas"].values()
    told = {}
    for shape in shapes:
        for name, field in shape.get("properties", {}).items():
            told.setdefault(name, set()).add(field.get("description", ""))
    unused = [name for name, text in FIELDS.items() if text not in told.get(name, set())]
    assert unused == []
    for name in ("kind", "state", "status", "type", "code", "text", "message", "note"):
        assert name not in FIELDS
        assert "" not in told[name], name
