"""Which queue each job belongs to."""

# By module. The name of a job is its module and its function.
MODULE_QUEUES = {
    "jobs.sending.worker": "sends",
    "jobs.webhooks.worker": "deliveries",
    "jobs.linked.wakeup": "default",
    "jobs.inbound.hooks": "hooks",
    "jobs.automations": "hooks",
    "jobs.journeys": "hooks",
    "jobs.approvals": "default",
    "jobs.inbox": "default",
    "jobs.push": "default",
    "jobs.campaigns": "campaigns",
    "jobs.costs": "costs",
    "jobs.restaurant.orders": "default",
    "jobs.restaurant.text_orders": "hooks",
    "jobs.restaurant.loyalty": "campaigns",
    "jobs.restaurant.ad_conversions": "slow",
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


# Jobs in another queue than the rest of their module: `slow` is for long work that nobody waits
# for, `sweep` is for the sweep, which starts due work every five seconds.
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

# Old job names, kept as aliases for one release: jobs that an earlier release queued still run.
# Remove this table in the release after 1.0.
OLD_JOB_NAMES = {
    "jobs.automations.find_forgotten": "jobs.automations.find_lost_work",
    "jobs.campaigns.find_forgotten": "jobs.campaigns.find_lost_work",
    "jobs.closing.ask_payments": "jobs.tenants.account_closure.check_plan_payments",
    "jobs.closing.erase_due": "jobs.tenants.account_closure.erase_closed_accounts",
    "jobs.contacts.tidy": "jobs.contacts.delete_old_imports",
    "jobs.deliveries.drain": "jobs.webhooks.worker.drain",
    "jobs.deliveries.find_forgotten": "jobs.webhooks.worker.find_lost_work",
    "jobs.deliveries.forget": "jobs.webhooks.worker.delete_old_events",
    "jobs.exports.drain": "jobs.tenants.exports.drain",
    "jobs.exports.find_forgotten": "jobs.tenants.exports.find_lost_work",
    "jobs.hooks.drain": "jobs.inbound.hooks.drain",
    "jobs.hooks.find_forgotten": "jobs.inbound.hooks.find_lost_work",
    "jobs.housekeeping.make_months": "jobs.maintenance.create_month_partitions",
    "jobs.housekeeping.sweep": "jobs.maintenance.sweep",
    "jobs.housekeeping.tidy": "jobs.maintenance.delete_expired",
    "jobs.housekeeping.turn_days": "jobs.maintenance.rotate_day_partitions",
    "jobs.keeping.forget": "jobs.tenants.retention.delete_expired_data",
    "jobs.linked.wake": "jobs.linked.wakeup.wake_hosts",
    "jobs.loyalty.look": "jobs.restaurant.loyalty.run_due",
    "jobs.media.remove_doomed": "jobs.media.delete_pending_files",
    "jobs.orders.sound_alarms": "jobs.restaurant.orders.sound_alarms",
    "jobs.payments.drain": "jobs.restaurant.payments.drain",
    "jobs.payments.find_forgotten": "jobs.restaurant.payments.find_lost_work",
    "jobs.plans.look": "jobs.tenants.plan_renewals.check_renewals",
    "jobs.printing.watch": "jobs.printing.monitor_printers",
    "jobs.reads.tell": "jobs.lines.read_receipts.send_read_receipts",
    "jobs.sends.drain": "jobs.sending.worker.drain",
    "jobs.templates.drain": "jobs.lines.template_sync.drain",
    "jobs.templates.mark_all": "jobs.lines.template_sync.request_all",
    "jobs.troubles.tell": "jobs.lines.alerts.send_alerts",
    "jobs.warnings.look": "jobs.tenants.usage_alerts.check_usage",
    "jobs.warnings.send": "jobs.tenants.usage_alerts.send_usage_alert",
}


def current_job_name(job: str) -> str:
    return OLD_JOB_NAMES.get(job, job)
