"""Feishu (Lark) as a channel: a bot on the official SDK, by long connection or web hook.

`channel` is the whole; `socket` and `webhook` are the ways in, `rest` the way out; `events`, `rules` and `quotes`
understand messages; `cards`, `fit` and `markdown` make cards; `stream` writes them; `clicks` answers buttons. The SDK
costs seconds to import, so `sdk` does it late, once, and nobody else does. Nothing here knows an agent or a source.
"""
