"""The web process of the services of tests: as it is, with templates that are compiled already."""

from tests.service_processes import compiled_templates
from wsgi import create_app

app = create_app()
app.jinja_env.bytecode_cache = compiled_templates()
