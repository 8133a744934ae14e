"""The settings file that `hermes-ops init` writes: every key with what it means, made from the settings' own types."""
