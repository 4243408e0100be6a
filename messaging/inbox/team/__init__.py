"""How a team shares the inbox: assignment, labels, snooze, replies for later, ratings, reports."""
