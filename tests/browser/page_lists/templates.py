"""The pages of templates, and the demo data in their URLs."""

from messaging.templates import repository
from messaging.templates.library import ENTRIES
from messaging.templates.repository import TemplateFilters

TEMPLATES = {
    "templates": "/templates",
    "templates-empty": "/templates?q=nothing",
    "template": "/templates/{template}",
    "template-paused": "/templates/{paused}",
    "template-library": "/templates/library",
    "template-library-turkish": "/templates/library?language=tr",
    "template-new": "/templates/new",
    "template-from-library": "/templates/new?library={library_text}&language=tr",
    "template-translate": "/templates/new?from={template}&language=de",
    "template-edit": "/templates/{template}/edit",
    "template-delete": "/templates/{template}/delete",
}


def template_ids() -> dict[str, object]:
    known = repository.list_templates(TemplateFilters())
    template = next(one for one in known if one.name == "weekend_menu")
    return {
        "template": template.id,
        "template_key": f"{template.name}|{template.language}",
        "paused": next(one.id for one in known if one.state == "paused"),
        "library_text": ENTRIES[0].name,
    }
