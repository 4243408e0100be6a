"""The pages of journeys, and of the runs of automations."""

from messaging.journeys import queries, repository

JOURNEYS = {
    "journeys": "/journeys",
    "journey": "/journeys/{journey}",
    "journey-step": "/journeys/{journey}?step=ask",
    "journey-remove": "/journeys/{journey}/remove",
    "journey-runs": "/journeys/{journey}/runs",
    "journey-runs-none": "/journeys/{journey}/runs?state=failed",
    "journey-run": "/journeys/runs/{journey_run}",
    "automation-remove": "/automations/{automation}/remove",
    "automation-runs": "/automations/{automation}/runs",
    "automation-runs-none": "/automations/{automation}/runs?state=failed",
}


def journey_ids() -> dict[str, object]:
    journey = repository.list_journeys()[0]
    run = queries.list_runs(journey.id, after=None, limit=1)[0]
    return {"journey": journey.id, "journey_run": run.run.id}
