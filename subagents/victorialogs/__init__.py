"""VictoriaLogs as a source of logs."""
