"""Every table, whichever job a worker runs first.

A job that goes over all tables of a tenant must not miss those whose modules nobody has loaded.
"""

import messaging.costs.usage
import messaging.models
import printing.models
import restaurant.models
import tenants.models
import tenants.plans.models
import webhooks.models

__all__ = ["messaging", "printing", "restaurant", "tenants", "webhooks"]
