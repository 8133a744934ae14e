"""How a finished report looks: Markdown, a page, a card, a terminal."""
