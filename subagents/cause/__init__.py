"""Why it happened: root-cause analysis in code. `analyse` and the data it returns."""
