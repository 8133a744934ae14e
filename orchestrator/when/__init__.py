"""Time as people on call write it, in Chinese and English: words to absolute windows and back. Reads no clock."""

from orchestrator.when.window import Reading as Reading
from orchestrator.when.window import follow as follow
from orchestrator.when.window import narrow as narrow
from orchestrator.when.window import resolve as resolve
from orchestrator.when.window import say as say
