"""Sources that answer from what was received by web hook. What was never sent isn't in them."""
