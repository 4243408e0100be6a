"""Every POST of the API can be repeated with its Idempotency-Key, or is listed here."""

from api.v1 import v1

MESSAGE_SEND = "the key is stored by the SQL function that stores the message"
SAME_STATE = "sets a state; a repeat has no further effect"
STORING_PART = "the part that stores the row is decorated"
PARTNER = "run_once stores the key, in the tenant that the partner changes"
NOT_DECORATED = {
    "v1.send": MESSAGE_SEND,
    "v1.send_media": MESSAGE_SEND,
    "v1.send_location": MESSAGE_SEND,
    "v1.send_template": MESSAGE_SEND,
    "v1.send_message": MESSAGE_SEND,
    "v1.send_in_conversation": MESSAGE_SEND,
    "v1.send_to_contact": MESSAGE_SEND,
    "v1.preview_message": "only reads",
    "v1.upload_media": STORING_PART,
    "v1.create_template": STORING_PART,
    "v1.duplicate_template": STORING_PART,
    "v1.dry_run": "only reads",
    "v1.check_template": "only reads",
    "v1.courier_link": "signs an address and stores nothing",
    "v1.mark_conversation_read": SAME_STATE,
    "v1.pause_campaign": SAME_STATE,
    "v1.resume_campaign": SAME_STATE,
    "v1.stop_campaign": SAME_STATE,
    "v1.unschedule_campaign": SAME_STATE,
    "v1.publish_journey": "a draft that is published already makes no further version",
    "v1.pause_journey": SAME_STATE,
    "v1.resume_journey": SAME_STATE,
    "v1.stop_journey_run": SAME_STATE,
    "v1.check_instance": "asks the network again and stores what it answers",
    "v1.create_tenant": PARTNER,
    "v1.create_tenant_key": PARTNER,
    "v1.add_tenant_line": PARTNER,
    "v1.add_tenant_endpoint": PARTNER,
    "v1.suspend_tenant": SAME_STATE,
    "v1.resume_tenant": SAME_STATE,
    "v1.change_plan": SAME_STATE,
}


def posts(app):
    return {
        rule.endpoint
        for rule in app.url_map.iter_rules()
        if rule.endpoint.startswith(f"{v1.name}.") and "POST" in (rule.methods or ())
    }


def test_every_post_of_the_api_is_idempotent_or_listed(app):
    found = posts(app)
    assert len(found) > 50
    plain = {name for name in found if not getattr(app.view_functions[name], "idempotent", False)}
    assert plain == set(NOT_DECORATED)
