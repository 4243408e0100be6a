"""Import the models of every package.

A job over all tables of a tenant must not miss those whose modules were never imported.
"""

import messaging.costs.usage
import messaging.models
import printing.models
import restaurant.models
import tenants.apps.models
import tenants.models
import tenants.plans.models
import tenants.push.models
import webhooks.models

__all__ = ["messaging", "printing", "restaurant", "tenants", "webhooks"]
