"""What other systems tell by web hook: alerts and changes, read from each product's own form, and kept.

Nothing here asks anybody for anything; what is kept is a source like others (`subagents.store`).
"""
