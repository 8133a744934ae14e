"""A run's events, read by people: the list of runs, one run as a tree, one step with all its texts, and how long all of
it is kept. Nothing here runs an agent or writes an event."""
