"""Whether an answer's figures and causes are borne out by the evidence it cites. The door is `check`."""

from orchestrator.evidence.check import Checked as Checked
from orchestrator.evidence.check import check as check
