"""The inspector under `/traces`: runs to find, replay, compare and count. It reads, and changes nothing."""
