"""Git repositories on disk as a source of changes. The door is `subagents.git.source.GitChanges`."""
