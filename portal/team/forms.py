"""Forms of the team pages."""

from flask_babel import lazy_gettext as _
from wtforms import (
    RadioField,
    StringField,
)
from wtforms.validators import Length

from portal.web.forms import Form, required
from tenants.rights import ROLES, may_assign_role


class RoleForm(Form):
    role = RadioField(_("Role"), [required()])

    def offer(self, giver: str) -> None:
        self.role.choices = [(role, role) for role in ROLES if may_assign_role(giver, role)]


class InviteForm(RoleForm):
    email = StringField(_("E-mail"), [required(), Length(max=254)])
