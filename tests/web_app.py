"""The web process of test services: the usual app, with precompiled templates."""

from tests.service_processes import compiled_templates
from wsgi import create_app

app = create_app()
app.jinja_env.bytecode_cache = compiled_templates()
