"""First look: an alert group that arrives by web hook investigates itself, within bounds that people can't feel."""
