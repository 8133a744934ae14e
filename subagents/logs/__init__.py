"""The logs domain; `make` is its door."""

from subagents.logs.agent import make as make
