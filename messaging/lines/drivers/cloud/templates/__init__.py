"""Templates of the cloud API: calls that change them, their list, and the payload of a send."""
