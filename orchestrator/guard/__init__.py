"""Trust: permission, masking and fencing, where `Incoming` and `ToolResult` are made. The door is the guard itself."""

from orchestrator.cleaning import clean as clean
from orchestrator.guard.policy import AllowAll as AllowAll
from orchestrator.guard.policy import masked as masked
