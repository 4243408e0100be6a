"""OAuth 2.1: how apps get access to a business with the consent of a member."""
