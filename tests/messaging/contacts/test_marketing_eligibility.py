"""One rule decides who gets marketing, and every contact left out has one reason."""

from datetime import timedelta

from core.clock import now
from messaging.contacts import consent as contact_consent
from messaging.contacts import identities as contact_identities
from messaging.contacts import marketing_eligibility
from messaging.contacts import repository as contact_repository
from messaging.contacts.validation import ContactInput
from tests.messaging.message_factory import add_line, sent_message

DAY = timedelta(days=1)


def meets(phone, network_id=""):
    return contact_identities.find_or_create(phone, network_id, "Ayşe", now() - 2 * DAY).id


def test_each_who_is_left_out_has_one_reason(restaurant):
    line = add_line(restaurant)
    with restaurant.scope():
        gets, out, both, blocked, dead, back, told, nobody = (
            meets(f"90532111220{n}") for n in range(8)
        )
        phoneless = meets("", "user.1234567890")
        nowhere = contact_repository.create(ContactInput(name="Nobody")).id
        for one in (out, both):
            contact_consent.opt_out(one, now(), "word")
        for one in (both, blocked):
            contact_consent.block(one)
        for phone in ("905321112204", "905321112205"):
            sent_message(line, "failed", phone=phone, error_code="recipient_unavailable")
        contact_identities.find_or_create("905321112205", "", "Ayşe", now() + timedelta(seconds=1))
        marketing_eligibility.record_marketing_sent([told], now() - timedelta(hours=3))
        contact_consent.opt_out(nobody, now() - DAY, "word")
        contact_consent.opt_in(nobody, now(), "word")
        everybody = [gets, out, both, blocked, dead, back, told, nobody, phoneless, nowhere]

        expected = {
            out: "opted_out",
            both: "blocked",
            blocked: "blocked",
            dead: "unreachable",
            told: "recent",
            nowhere: "no_phone",
        }
        assert marketing_eligibility.exclusion_reasons(everybody) == expected
        linked = marketing_eligibility.exclusion_reasons([phoneless], line_kind="linked")
        assert linked == {phoneless: "no_phone"}  # its id is of a cloud line
        del expected[told]
        assert (
            marketing_eligibility.exclusion_reasons(everybody, rest=timedelta(hours=2)) == expected
        )
        assert marketing_eligibility.exclusion_reasons(everybody, rest=None) == expected


def test_another_business_s_contact_is_gone(restaurant, shop):
    with restaurant.scope():
        theirs = meets("905321112201")
    with shop.scope():
        assert marketing_eligibility.exclusion_reasons([theirs]) == {theirs: "gone"}
        assert marketing_eligibility.exclusion_reasons([]) == {}
