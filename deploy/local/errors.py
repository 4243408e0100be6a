class CannotRun(RuntimeError):
    """The local service cannot start; the message is one sentence for the developer."""
