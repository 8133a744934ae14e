"""Folder mode: an exported directory as five sources. The door is `subagents.folder.folder.open_folder`.

This package file imports nothing, so that a scanning worker process starts in a few dozen milliseconds.
"""
