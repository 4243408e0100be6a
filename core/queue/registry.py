"""TODO core.queue.registry."""

# The queue is the second word of a job's dotted name: jobs.<module>.<function>.
MODULE_QUEUES = {
    "jobs.sending.worker": "sends",
    "jobs.webhooks.worker": "deliveries",
    "jobs.linked.wakeup": "default",
    "jobs.inbound.hooks": "hooks",
    "jobs.automations": "hooks",
    "jobs.campaigns": "campaigns",
    "jobs.costs": "costs",
    "jobs.restaurant.orders": "default",
    "jobs.restaurant.loyalty": "campaigns",
    "jobs.printing": "prints",
    "jobs.restaurant.payments": "payments",
    "jobs.lines.read_receipts": "default",
    "jobs.mail": "default",
    "jobs.contacts": "default",
    "jobs.health": "default",
    "jobs.maintenance": "slow",
    "jobs.tenants.retention": "slow",
    "jobs.tenants.account_closure": "slow",
    "jobs.tenants.exports": "slow",
    "jobs.media": "default",
    "jobs.lines.template_sync": "default",
    "jobs.lines.alerts": "default",
    "jobs.tenants.plan_renewals": "default",
    "jobs.tenants.usage_alerts": "default",
}


# Jobs that do not belong where the rest of their module is: `slow` is for work that takes long and
# that nobody waits for, `sweep` for the sweep, which starts what is due every five seconds.
JOB_QUEUES = {
    "jobs.maintenance.sweep": "sweep",
    "jobs.tenants.account_closure.check_plan_payments": "payments",
    "jobs.contacts.delete_old_imports": "slow",
    "jobs.costs.close_day": "slow",
    "jobs.webhooks.worker.delete_old_events": "slow",
    "jobs.media.delete_pending_files": "slow",
    "jobs.tenants.plan_renewals.check_renewals": "slow",
    "jobs.lines.template_sync.request_all": "slow",
    "jobs.tenants.usage_alerts.check_usage": "slow",
}


ALL_QUEUES = (
    *("sends", "deliveries", "hooks", "prints"),
    *("campaigns", "costs", "payments", "default", "sweep", "slow"),
)
