"""One file a format. `subagents.folder.recognise` holds the one explicit table of them; nothing registers itself."""
