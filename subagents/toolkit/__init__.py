"""Tools that settings give to a sub-agent: read an HTTP API, ask a database. The doors are `http` and `sql`."""
