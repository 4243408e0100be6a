"""Labels of conversations."""

from typing import Any

from flask import Response, g
from flask_openapi3.models.tag import Tag

from api.auth import key_may
from api.idempotency import idempotent
from api.v1 import v1
from api.v1.schemas.messaging.conversations import LabelList, LabelPath, LabelShape, NewLabel
from core.db import tenant_scope
from messaging.inbox.team import labels as conversation_labels
from messaging.inbox.team.labels import LabelName
from messaging.models import Label

TAG = Tag(name="Conversations")


@v1.get("/labels", tags=[TAG], summary="List labels", responses={200: LabelList})
@key_may("messages:read")
def list_labels() -> dict[str, Any]:
    """Labels tell what a conversation is about. Tags of contacts tell who a person is."""
    with tenant_scope(g.tenant_id):
        return {"data": [label_json(one) for one in conversation_labels.list_labels()]}


@v1.post("/labels", tags=[TAG], summary="Create a label", responses={201: LabelShape})
@key_may("messages:send")
@idempotent
def create_label(body: NewLabel) -> tuple[dict[str, Any], int]:
    return label_json(conversation_labels.save(body.name, body.colour)), 201


@v1.patch("/labels/<label_id>", tags=[TAG], summary="Change a label", responses={200: LabelShape})
@key_may("messages:send")
def change_label(path: LabelPath, body: NewLabel) -> dict[str, Any]:
    with tenant_scope(g.tenant_id):
        return label_json(conversation_labels.save(body.name, body.colour, path.label_id))


@v1.delete("/labels/<label_id>", tags=[TAG], summary="Delete a label", responses={204: None})
@key_may("messages:send")
def delete_label(path: LabelPath) -> Response:
    """Conversations keep everything else."""
    with tenant_scope(g.tenant_id):
        conversation_labels.remove(path.label_id)
    return Response(status=204)


def label_json(label: Label | LabelName) -> dict[str, Any]:
    return {"id": label.id, "name": label.name, "colour": label.colour}
