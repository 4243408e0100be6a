"""Push notifications to members' browsers."""
