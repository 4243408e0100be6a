"""A template that the network has approved; only cloud lines send it."""

from core.i18n.catalogs import N_
from messaging.lines.drivers.cloud.template_payload import template_payload
from messaging.messages.kinds.base import MessageKind

TEMPLATE = MessageKind(
    N_("Template"),
    icon="ticket",
    cloud_part=lambda envelope: template_payload(envelope.content),
)
