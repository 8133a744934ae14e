"""Plain questions ("is it over?", "was it X?", "who?", "which first?"), answered in a line or two before all else."""
