"""Examples are generated from the schemas and are valid."""

from core.openapi.document import example_of

SHAPES = {
    "Line": {
        "type": "object",
        "required": ["phone"],
        "properties": {
            "phone": {"type": "string"},
            "note": {"type": "string", "maxLength": 5},
            "parent": {"anyOf": [{"$ref": "#/components/schemas/Line"}, {"type": "null"}]},
        },
    }
}


def test_a_field_s_own_example_comes_first_then_its_name_then_its_kind():
    shape = {
        "type": "object",
        "properties": {
            "name": {"type": "string", "examples": ["Front desk"]},
            "phone": {"type": "string"},
            "created_at": {"type": "string"},
            "day": {"type": "string", "format": "date"},
            "kind": {"enum": ["image", "video"]},
            "count": {"type": "integer", "minimum": 3},
            "cost_usd": {"type": "number"},
            "next": {"anyOf": [{"type": "string"}, {"type": "null"}]},
            "contact_id": {"type": "string"},
            "on": {"type": "boolean"},
            "error": {"anyOf": [{"type": "object"}, {"type": "null"}]},
        },
    }
    assert example_of(shape, {}) == {
        "name": "Front desk",
        "phone": "905321112233",
        "created_at": "2026-03-01T09:30:00Z",
        "day": "2026-03-01",
        "kind": "image",
        "count": 3,
        "cost_usd": 0.0053,
        "next": None,
        "contact_id": "con_01JF9Z6M3V7Q2N8K4T5W6X7Y8Z",
        "on": False,
        "error": None,
    }


def test_what_is_sent_leaves_out_what_may_be_left_out():
    ref = {"$ref": "#/components/schemas/Line"}
    assert example_of(ref, SHAPES, for_request=True) == {"phone": "905321112233"}


def test_a_shape_that_holds_itself_ends():
    depth, line = 0, example_of({"$ref": "#/components/schemas/Line"}, SHAPES)
    while line:
        depth, line = depth + 1, line.get("parent")
    assert 1 < depth < 20
