"""Why a run ended: codes, and the sentence of each."""

from core.i18n.catalogs import N_
from core.values.reasons import ReasonSentences

NO_ANSWER = "no_answer"
HANDED_OVER = "handed_over"
ANSWER_NOT_UNDERSTOOD = "answer_not_understood"
TOO_MANY_STEPS = "too_many_steps"
LOST_STEP = "lost_step"
OPTED_OUT = "opted_out"
BLOCKED = "blocked"
PERSON_ANSWERED = "person_answered"
STOPPED_BY_PERSON = "stopped_by_person"
STOPPED_BY_PROGRAM = "stopped_by_program"
OTHER_JOURNEY = "other_journey"
WINDOW_CLOSED = "window_closed"
NOT_REACHABLE = "not_reachable"
ORDERED = "ordered"
INTERNAL_ERROR = "internal_error"
JOURNEY_REMOVED = "journey_removed"
JOURNEY_PAUSED = "journey_paused"
CONTACT_DELETED = "contact_deleted"
CALL_INTERRUPTED = "call_interrupted"
CALL_REFUSED = "call_refused"
NO_STORE = "no_store"

JOURNEY_REASONS = ReasonSentences(
    {
        NO_ANSWER: N_("The customer did not answer in time."),
        HANDED_OVER: N_("The conversation was handed to a person."),
        ANSWER_NOT_UNDERSTOOD: N_(
            "The answer was not one of the choices, so the conversation was handed to a person."
        ),
        TOO_MANY_STEPS: N_("The journey had too many steps for one customer."),
        LOST_STEP: N_("The next step does not exist."),
        OPTED_OUT: N_("The customer opted out of marketing messages."),
        BLOCKED: N_("The customer was blocked."),
        PERSON_ANSWERED: N_("A member of the team answered."),
        STOPPED_BY_PERSON: N_("A member of the team stopped it."),
        STOPPED_BY_PROGRAM: N_("A program stopped it."),
        OTHER_JOURNEY: N_("The customer started another journey."),
        WINDOW_CLOSED: N_(
            "The customer had not written in the last 24 hours, and the step is not a template."
        ),
        NOT_REACHABLE: N_("The contact has no address on this line."),
        ORDERED: N_("The customer placed the order."),
        INTERNAL_ERROR: N_("Something went wrong on our side. We tried several times."),
        JOURNEY_REMOVED: N_("The journey was deleted."),
        JOURNEY_PAUSED: N_("The journey was paused."),
        CONTACT_DELETED: N_("The contact was deleted."),
        CALL_INTERRUPTED: N_("The call was interrupted. It is not repeated."),
        CALL_REFUSED: N_("The other service refused the call."),
        NO_STORE: N_("The order did not come from a store that can be changed."),
    },
    joint=" · ",
)
