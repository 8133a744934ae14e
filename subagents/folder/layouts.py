"""Fragments of patterns for lines of one layout, for the formats' `alike`. Equal groups mean equal values.

A time's groups have names, all others none. They hold it up to the minute (an epoch number's up to ten seconds) and its
offset, so that lines can be counted by minute, hour and day without a clock being read for each. Seconds that a float
would round up to the next minute don't match.
"""

from __future__ import annotations

_SECOND = rb"(?!59[.,]9999)[0-5]\d(?:[.,]\d{1,9}+)?+"
ISO = rb"(?P<iso>\d{4}-\d\d-\d\d[T ]\d\d:\d\d):" + _SECOND + rb"(?P<zone>Z|[+-]\d\d:?\d\d)?+"
CLF = rb"(?P<clf>\d\d/[A-Z][a-z]{2}/\d{4}:\d\d:\d\d):[0-5]\d(?P<offset> [+-]\d{4})?"
EPOCH = rb"(?P<epoch>[1-9]\d{8})(?:\d(?:\.\d{1,6})?|\d{4}|\d{7})"  # seconds, milli- and microseconds
