"""The pages of printers and print jobs, and the demo data in their URLs."""

from printing import agents, printers
from printing import queries as print_job_queries

PAPER = {
    "printers": "/printers",
    "printer-new": "/printers/new",
    "printer": "/printers/{printer}",
    "printer-star": "/printers/{star}",
    "printer-address": "/printers/{star}/address",
    "printer-remove": "/printers/{printer}/remove",
    "printer-pairing": "/printers/pairing/{pairing_code}",
    "agent-remove": "/printers/agents/{agent}/remove",
    "print-jobs": "/print-jobs",
    "print-jobs-none": "/print-jobs?state=failed",
    "print-job": "/print-jobs/{print_job}",
    "print-job-unsure": "/print-jobs/{unsure_job}",
}


def printing_ids(site_id: str) -> dict[str, object]:
    """The demo's printers, one that polls, an agent, and print jobs of both kinds."""
    code, _ = agents.new_code(site_id)
    star = printers.add(site_id, "Teras", "cloudprnt", {"stations": ["kitchen"]})
    jobs = print_job_queries.listed(print_job_queries.PrintJobFilters(), None, 100)
    used, _ = agents.new_code(site_id)
    paired = agents.pair(used.id, "Kitchen computer", "1")
    return {
        "printer": printers.listed(site_id)[0].id,
        "star": star.id,
        "pairing_code": code.id,
        "agent": paired.agent.id if paired else "",
        "print_job": next(one.id for one in jobs if one.state == "printed"),
        "unsure_job": next(one.id for one in jobs if one.state == "unconfirmed"),
    }
