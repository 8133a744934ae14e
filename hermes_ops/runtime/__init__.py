"""Where a run runs: implementations of `orchestrator.ports.Runtime` and of `Sink`.

`local` is one process with asyncio: steps are journaled as events under (run, path, n), and a run that was killed is
entered again with what was recorded. `sinks` are the places events go to that need no database. What stores events
durably is `memory.store.EventStore`. Nothing here knows an agent, a tool or a table.
"""
