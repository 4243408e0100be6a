"""What a way of reaching a printer must define. The registry lists the ways by their code."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Connection:
    title: str
    summary: str
    language: str = "escpos"
    profile: str = "generic"
    path: str = ""
    """For a printer that polls: the part of its address after `/print/`. Its endpoint is in
    `api/printers/`. Empty: an agent sends the tickets."""
    address_hint: str = ""
    """Where staff enter the address in the printer."""

    @property
    def polls(self) -> bool:
        return bool(self.path)

    def address(self, base_url: str, secret: str | None) -> str:
        return f"{base_url}/print/{self.path}/{secret}" if self.path else ""
