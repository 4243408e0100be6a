"""Make the typed parts of the TypeScript and PHP clients from the OpenAPI document."""
