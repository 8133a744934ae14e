"""The alerts domain; `make` is its door."""

from subagents.alerts.agent import make as make
