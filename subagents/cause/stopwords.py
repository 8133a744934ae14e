"""Words of code and changelogs that tell nothing about what a change does. Data only."""

from __future__ import annotations

_TEXT = """
add after all and api app are async avg await before bool build bump byte bytes call called calls change
changed chore ci class client cmd code conf config const context count ctx data debug def default defaults
delete doc docs each elif else end err error errors exception fail failed failing failure false feat feature
file final fix float for from func function get go handle handler handlers has have http https id ids if
import info int int64 interface internal into item items its java js json key len let level lib line list log
logs main make map message method metric metrics milliseconds minor minute minutes more ms msg name new nil
none not now null number object old one package patch path per perf pkg post private public put py rate ratio
refactor req request requests res resp response return returns run second seconds self server service services
set shared simplify src start started static status string struct style sum svc test tests that the then this
tidy time times toml total true ts two type unit update updated url use used user users value var version void
warn was were when while with yaml yml
"""
STOP = frozenset(_TEXT.split())
