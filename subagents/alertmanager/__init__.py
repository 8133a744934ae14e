"""Alertmanager: what fires now, with what is silenced or inhibited."""
