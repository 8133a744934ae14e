"""The changes domain; `make` is its door."""

from subagents.changes.agent import make as make
