"""Which sources there are, from settings to what the sub-agents ask. It knows no question and no model."""
