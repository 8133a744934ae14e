"""What the application remembers: the turns of a conversation and what they were about, and notes on persons.

Rows and how they are erased are in the room `memory`; here is what they mean.
"""
