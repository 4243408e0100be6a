"""The kinds of messages: what each holds, how each line sends it, how the portal names it."""
