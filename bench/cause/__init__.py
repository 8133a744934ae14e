"""Measures the cause analysis on public data sets that lie beside the checkout (docs/CAUSE.md)."""
