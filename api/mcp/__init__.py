"""MCP servers: tools for AI agents, over the same functions as the v1 API."""
