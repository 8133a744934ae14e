"""Log files where they are written, as a source of logs."""
