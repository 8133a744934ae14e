"""The version, without the cost of asking the package index of the environment (a test holds it to pyproject.toml)."""

VERSION = "0.1.0"
