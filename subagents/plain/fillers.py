"""English words of questions that no log line is sought by: the small words, times, and what lines are called."""

from __future__ import annotations

FILLERS = frozenset((
    "a", "about", "after", "again", "against",
    "all", "also", "am", "an", "and", "any", "appear", "appeared", "appears", "are",
    "as", "at", "been", "before", "between", "but", "by", "called", "came", "can", "come", "could", "count",
    "counts", "critical", "day", "days", "debug", "did", "different", "distinct", "do", "does", "during", "each",
    "else", "error", "errors", "every", "exception", "exceptions", "fail", "failed", "failing", "fails", "failure",
    "failures", "fatal", "find", "for", "frequently", "from", "get", "give", "going", "got", "had", "happen",
    "happened", "happens", "hard", "has", "have", "having", "hit", "hour", "hourly", "hours", "how", "i", "in",
    "info", "into", "is", "it", "its", "kind", "kinds", "last", "latest", "like", "line", "lines", "list", "log",
    "logged", "logs", "long", "lot", "lots", "many", "may", "me", "message", "messages", "minute", "minutes", "more",
    "most", "much", "my", "new", "night", "number", "occur", "occurred", "occurs", "of", "often", "on", "one",
    "ones", "or", "our", "out", "over", "pattern", "patterns", "per", "please", "raise", "raised", "same", "saw",
    "say", "see", "seen", "service", "services", "show", "since", "so", "some", "such", "tell", "than", "that",
    "the", "their", "them", "then", "there", "these", "they", "thing", "things", "this", "those", "throw", "thrown",
    "time", "times", "to", "today", "tonight", "total", "try", "type", "types", "until", "up", "us", "warn",
    "warning", "warnings", "was", "we", "were", "what", "when", "where", "which", "while", "who", "why", "with",
    "within", "yesterday", "you", "your",
))  # fmt: skip

DOINGS = frozenset((  # what is done with changes, and what they are called
    "back", "because", "break", "broke", "broken", "brought", "bug", "cause", "caused", "causes", "change",
    "changed", "changes", "code", "commit", "config", "configured", "culprit", "deploy", "deployed", "deployment",
    "disable", "disabled", "disabling", "enable", "enabled", "enabling", "fault", "feature", "fix", "fixed", "flag",
    "flags", "flip", "flipped", "guilty", "help", "helped", "it's", "just", "latest", "merge", "merged", "migration",
    "move", "moved", "moving", "off", "push", "pushed", "recent", "related", "release", "released", "responsible",
    "restart", "restarting", "revert", "reverting", "roll", "rollback", "rolled", "rolling", "rollout", "scaling",
    "setting", "ship", "shipped", "switch", "switched", "switching", "ticket", "toggle", "toggled", "trigger",
    "triggered", "turn", "turned", "turning", "upgrade", "upgraded", "upgrading", "version", "work", "worked",
))  # fmt: skip

ASKING = frozenset((  # what is asked of log lines, and where they come from
    "anything", "app", "application", "applications", "apps", "attempt", "attempts", "be", "because", "being", "case",
    "cases", "check", "cluster", "concerning", "contain", "containing", "container", "containers", "contains", "data",
    "detail", "details", "display", "dump", "entries", "entry", "env", "environment", "event", "events", "everything",
    "fetch", "file", "files", "filter", "first", "folder", "full", "group", "grouped", "grep", "holding", "host",
    "hosts", "if", "instance", "instances", "issue", "issues", "let", "level", "levels", "look",
    "looking", "mention", "mentioning", "mentions", "namespace", "need", "node", "nodes", "not", "occurrence",
    "occurrences", "odd", "only", "percent", "period", "pod", "pods", "print", "problem", "problems", "prod",
    "production", "pull", "rate", "rates", "recent", "record", "records", "regarding", "root", "s", "saying",
    "says", "search", "server", "servers", "something", "sort", "sorted", "spike", "spikes", "staging", "status",
    "string", "summary", "system", "t", "text", "top", "trend", "trouble", "want", "whole", "word", "words", "wrong",
))  # fmt: skip
