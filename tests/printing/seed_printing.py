"""A printer with an agent, a pairing code and a ticket, all containing a unique name."""

from printing import agents, printers, utility_tickets
from restaurant.models import Site
from tests.factories import Business


def seed_printing(business: Business, site: Site, name: str) -> dict[str, str]:
    with business.scope():
        code, _ = agents.new_code(site.id)
        paired = agents.pair(code.id, f"{name} agent", "1")
        assert paired is not None
        waits, _ = agents.new_code(site.id)
        printer = printers.add(
            site.id,
            f"{name} printer",
            "agent",
            {"agent_id": paired.agent.id, "output": {"kind": "demo"}, "stations": ["kitchen"]},
        )
        job_id = utility_tickets.test_ticket(
            printer, language="tr", time_zone="UTC", site=f"{name} bistro"
        )
        return {
            "printer_id": printer.id,
            "agent_id": paired.agent.id,
            "code_id": waits.id,
            "print_job_id": job_id,
        }
