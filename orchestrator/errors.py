"""Errors of ours. What the model can mend becomes text for the model; these travel to one place that words them.

Each message is a whole sentence for a person: what is wrong, where, and what to do next.
"""

from __future__ import annotations


class HermesError(Exception):
    """Something a person has to see. `exit_code` is documented in docs/CLI.md."""

    exit_code = 1


class ModelError(HermesError):
    """The model can't be used now. `retry`: another try or another model may help; `kind` names the sort."""

    exit_code = 4

    def __init__(self, message: str, kind: str = "unavailable", retry: bool = False) -> None:
        super().__init__(message)
        self.kind = kind
        self.retry = retry


class ContextTooLong(ModelError):
    """The request was over the model's context length: compact and try once more."""

    def __init__(self, message: str) -> None:
        super().__init__(message, kind="context")


class Fatal(HermesError):
    """A tool that makes the whole question pointless says so with this; the loop ends with what it has."""


class Stopped(Exception):
    """A leaf's work was ended from outside. `reason`: "deadline" | "cancelled"."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


class ConfigError(HermesError):
    """A setting, argument or file is wrong."""

    exit_code = 2


class StoreError(HermesError):
    """The data directory or database can't be used."""

    exit_code = 3
