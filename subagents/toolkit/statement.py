"""Whether an SQL statement only reads, told by parsing it for its database; and that statement written out again.

What runs is what was understood: the text is made anew from the parsed tree, without comments, and looked at once more
as it is run. Anything that isn't known to be harmless is refused in words that say what. It opens no database. sqlglot,
of the extra `sql`, is imported with the first statement.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import UTC
from typing import TYPE_CHECKING, Literal

from orchestrator.contracts import Window
from subagents.toolkit.functions import ALLOWED

if TYPE_CHECKING:
    from sqlglot import exp

Dialect = Literal["postgres", "sqlite"]
LONGEST = 10_000  # characters of one statement
TIMES = ("start", "end", "start_s", "end_s")  # :start and :end, the window's, as the database writes times; as seconds
READS = ("Select", "SetOperation", "Values", "Subquery")  # kinds of sqlglot's expressions
WORDS: tuple[tuple[str, str], ...] = (
    ("Into", "INTO writes a table"),
    ("Lock", "FOR UPDATE or FOR SHARE locks rows"),
    ("DML", "it changes rows"),
    ("DDL", "it changes tables"),
    ("Command", "only SELECT is allowed"),
    ("Operator", "an operator named by OPERATOR() isn't known to be harmless"),
    ("ByteString", "strings with escapes (E'…') are not allowed; write them plainly"),
    ("UnicodeString", "strings with escapes (U&'…') are not allowed; write them plainly"),
    ("Parameter", "parameters are not allowed but :start, :end, :start_s and :end_s"),
    ("SessionParameter", "parameters are not allowed"),
)


class Refused(ValueError):
    """Why a statement isn't run, for the model that wrote it."""


def checked(sql: str, dialect: Dialect, window: Window, tables: Sequence[str] = ()) -> str:
    """The statement as it is to be run: `:start` … put in; `tables` (): all of them may be read. Raises Refused."""
    tree = _examined(sql, dialect, tables)
    text = tree.transform(lambda node: _timed(node, dialect, window)).sql(dialect=dialect, comments=False)
    if _examined(text, dialect, tables).sql(dialect=dialect) != text:
        raise Refused("it can't be written out again as the same statement: write it more simply")
    return text


def _examined(sql: str, dialect: Dialect, tables: Sequence[str]) -> exp.Expr:
    tree = _parsed(sql, dialect)
    if not _is(tree, *READS):
        raise Refused(f"only SELECT is allowed, not {tree.key.upper()}")
    for node in tree.walk():
        if said := _wrong(node, dialect):
            raise Refused(said)
    if tables:
        _only(tree, tables)
    return tree


def _parsed(sql: str, dialect: Dialect) -> exp.Expr:
    if len(sql) > LONGEST or "\0" in sql:
        raise Refused(f"it is longer than {LONGEST:,} characters, or not plain text")
    import sqlglot
    from sqlglot.errors import SqlglotError

    try:
        tokens = sqlglot.tokenize(sql, read=dialect)
        first = tokens[0].text.upper() if tokens else ""
        if first not in ("SELECT", "WITH", "VALUES", "("):  # others may be taken for commands, which aren't parsed
            raise Refused(f"only SELECT is allowed{f', not {first}' if first else ': it is empty'}")
        trees = [tree for tree in sqlglot.parse(sql, read=dialect) if tree is not None]
    except SqlglotError as e:
        raise Refused(f"it can't be read as {dialect} SQL: {str(e).splitlines()[0]}") from None
    except RecursionError:
        raise Refused("it is nested too deep") from None
    if len(trees) != 1:
        raise Refused(f"one statement at a time, not {len(trees)}")
    return trees[0]


def _is(node: exp.Expr, *kinds: str) -> bool:
    from sqlglot import exp

    return isinstance(node, tuple(getattr(exp, kind) for kind in kinds))


def _wrong(node: exp.Expr, dialect: Dialect) -> str:
    """Why this part of a statement isn't allowed; ""."""
    from sqlglot import exp

    for kind, said in WORDS:
        if _is(node, kind) and not _is(node, *READS):
            return said
    if isinstance(node, exp.Placeholder) and node.name not in TIMES:
        return f"there is no parameter {node.name!r}; there are :{', :'.join(TIMES)}"
    if isinstance(node, exp.Dot) and isinstance(node.expression, exp.Func):
        return f"functions are called without their schema: {node.expression.sql()[:60]}"
    if isinstance(node, exp.Func):
        named = {node.name.lower()} if isinstance(node, exp.Anonymous) else {n.lower() for n in node.sql_names()}
        if not named & ALLOWED[dialect]:
            return f"the function {min(named)} is not on the list of those that only compute"
    return ""


def _timed(node: exp.Expr, dialect: Dialect, window: Window) -> exp.Expr:
    from sqlglot import exp

    if not isinstance(node, exp.Placeholder):
        return node
    at = (window.start if node.name.startswith("start") else window.end).astimezone(UTC)
    if node.name.endswith("_s"):
        return exp.Literal.number(int(at.timestamp()))
    if dialect == "sqlite":
        return exp.Literal.string(f"{at:%Y-%m-%d %H:%M:%S}")
    return exp.cast(exp.Literal.string(f"{at:%Y-%m-%d %H:%M:%S}+00:00"), "timestamptz")


# ── which tables it reads ─────────────────────────────────────────────────────────────────────


def _only(tree: exp.Expr, tables: Sequence[str]) -> None:
    """Names fold as the database folds them: an unquoted one to lower case. Raises Refused."""
    from sqlglot import exp

    allowed = {name.lower() for name in tables}
    for table in tree.find_all(exp.Table):
        name = ".".join(part.name for part in table.parts if part.name)
        if not name or isinstance(table.this, exp.Func) or (not table.db and _local(table)):
            continue
        if name.lower() not in allowed:
            raise Refused(f"the table {name} may not be read; there are {', '.join(sorted(tables))}")


def _local(table: exp.Table) -> bool:
    """Whether the name is one that the statement makes itself (WITH name AS …), seen from where it stands."""
    below: exp.Expr = table
    node = table.parent
    while node is not None:
        if any(cte.alias.lower() == table.name.lower() for cte in _seen(node, below)):
            return True
        below, node = node, node.parent
    return False


def _seen(node: exp.Expr, below: exp.Expr) -> Iterator[exp.CTE]:
    """What a part of `node` can name: of its own WITH those before it, or all where they may be recursive."""
    from sqlglot import exp

    if isinstance(node, exp.With):
        for cte in node.expressions:
            if cte is below and not node.recursive:
                return
            yield cte
    elif not isinstance(below, exp.With) and isinstance(
        own := node.args.get("with_") or node.args.get("with"), exp.With
    ):
        yield from own.expressions
