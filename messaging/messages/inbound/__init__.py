"""What arrives besides new messages of customers: edits, deletions, echoes and hand-overs."""
