"""Prometheus, and what speaks its query API: alerts that fired, metrics, availability, who calls whom."""
