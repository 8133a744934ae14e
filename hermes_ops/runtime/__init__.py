"""Where a run runs: implementations of `orchestrator.ports.Runtime` and of `Sink`, and who works on what.

`local`: steps are journaled as events under (run, path, n), and a run that was killed is entered again with what was
recorded, here or in another process. `inbox` and `outbox` are what comes in and goes out; `alone` and `cluster` say
whose it is, with one process on a database or several. `sinks` are places events go to that need no database. What
stores events durably is `memory.store.EventStore`. Nothing here knows an agent, a tool or a table.
"""
