"""A recorded run once more: the same code on what was recorded, to see whether it still decides the same, and what
another prompt, model or message would have made of it."""
