"""The courier's list: no sign-in, a secret link that expires."""
