"""Tries everything that is set, for real, and says what to do about what doesn't work. It changes no setting."""
