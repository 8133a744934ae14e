"""Helpers of the Makefile and checks of the house rules. No part of what is installed."""
