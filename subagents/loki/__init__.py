"""Loki as a source of logs."""
