"""Numbers in pages agree with measured data.

Directly before a paragraph, list or table stands a comment that names a CSV file, relative to the page, and

- for a table, `columns A, B where KEY=VALUE`: the rows that match, in their order, are the table's rows or columns;
- for single numbers, `NUMBER = COLUMN where KEY=VALUE, KEY=VALUE`, several with `;` between them. Before COLUMN may
  stand `min`, `max`, `median` or `count`; without one, exactly one row has to match. `COLUMN / 1000` is another unit
  of it, `5.31 / COLUMN` what a time is of that one.

    <!-- measured: measured/streams_and_chunks_h200.csv: columns streams, speedup where chunk_mib=8 -->
    <!-- measured: measured/streams_and_chunks_h200.csv: 1.81 = speedup where streams=2, chunk_mib=8 -->

A number agrees when the measured one, rounded to as many decimals as the page shows, is the same.
"""

import csv
import re
import statistics
from decimal import ROUND_HALF_EVEN, ROUND_HALF_UP, Decimal, InvalidOperation

from pages.page import NUMBER

STATEMENT = re.compile(
    r"^(?P<shown>[\d.,]+) = (?:(?P<dividend>[\d.]+) / )?(?:(?P<function>min|max|median|count) )?(?P<column>[A-Za-z_]\w*)"
    r"(?: / (?P<divisor>[\d.]+))?(?: where (?P<keys>.+))?$"
)
TABLE = re.compile(r"^columns (?P<columns>[\w ,]+?)(?: where (?P<keys>.+))?$")
FUNCTIONS = {"min": min, "max": max, "median": statistics.median}


def read_table(path):
    """Rows of a CSV file as dictionaries; lines that begin with # are comments."""
    with open(path, encoding="utf-8", newline="") as file:
        return list(csv.DictReader(line for line in file if not line.startswith("#")))


def agrees(shown, measured):
    """Whether `measured`, rounded to the decimals of `shown`, is `shown`. Both are texts."""
    try:
        expected, value = Decimal(shown.replace(",", "")), Decimal(measured)
    except InvalidOperation:
        return shown == measured
    unit = Decimal(1).scaleb(min(0, expected.as_tuple().exponent))
    # Half may go either way: the measured figure was rounded itself when it was written.
    return expected in (value.quantize(unit, ROUND_HALF_UP), value.quantize(unit, ROUND_HALF_EVEN))


def _matches(value, wanted):
    try:
        return Decimal(value) == Decimal(wanted)
    except InvalidOperation:
        return value == wanted


def select(rows, keys):
    """The rows in which every `KEY=VALUE` holds. Throws ValueError for a column that is not there."""
    selected = rows
    for key in (keys or "").split(","):
        if not key.strip():
            continue
        column, _, wanted = (part.strip() for part in key.partition("="))
        if rows and column not in rows[0]:
            raise ValueError(f"expected a column {column}, found {', '.join(rows[0])}")
        selected = [row for row in selected if _matches(row[column], wanted)]
    if not selected:
        raise ValueError(f"expected rows where {keys}, found none")
    return selected


def _column(rows, column):
    if column not in rows[0]:
        raise ValueError(f"expected a column {column}, found {', '.join(rows[0])}")
    return [row[column] for row in rows]


def _value(rows, function, column):
    values = _column(rows, column)
    if function == "count":
        return str(len(values))
    if function:
        return str(FUNCTIONS[function](Decimal(value) for value in values if value))
    if len(values) != 1:
        raise ValueError(f"expected one row for {column}, found {len(values)}")
    return values[0]


def _statement(rows, statement, text):
    """What is wrong with one `NUMBER = …`, or nothing."""
    match = STATEMENT.match(statement)
    if match is None:
        return [f"expected `NUMBER = COLUMN where KEY=VALUE`, found `{statement}`"]
    value = _value(select(rows, match["keys"]), match["function"], match["column"])
    if match["dividend"]:
        value = str(Decimal(match["dividend"]) / Decimal(value))
    if match["divisor"]:
        value = str(Decimal(value) / Decimal(match["divisor"]))
    wrong = []
    if not agrees(match["shown"], value):
        wrong.append(f"expected {value} as measured ({statement.partition('= ')[2]}), found {match['shown']}")
    if match["shown"] not in NUMBER.findall(text):
        wrong.append(f"expected {match['shown']} in the text below, found none")
    return wrong


def _cell(text):
    numbers = NUMBER.findall(text)
    return numbers[0] if len(numbers) == 1 else text


def _table(rows, match, table):
    columns = [name.strip() for name in match["columns"].split(",")]
    selected = select(rows, match["keys"])
    expected = [_column(selected, name) for name in columns]
    upright = [list(vector)[1:] for vector in zip(*table)]  # columns below the head
    lying = [row[1:] for row in table]  # rows beside their names
    for shown in (upright, lying):
        if len(shown) == len(expected) and all(
            len(ours) == len(theirs) and all(agrees(_cell(cell), value) for cell, value in zip(ours, theirs))
            for ours, theirs in zip(shown, expected)
        ):
            return []
    lines = "; ".join(f"{name}: {', '.join(values)}" for name, values in zip(columns, expected))
    return [f"the table is not what was measured: {lines}"]


def _check_comment(page, value, index):
    file, separator, wanted = " ".join(value.split()).partition(": ")
    path = page.root / page.path.parent / file
    if not separator:
        return [f"expected `measured: FILE: …`, found `measured: {value}`"]
    if not path.is_file():
        return [f"expected the file {file}, found none"]
    rows = read_table(path)
    if not rows:
        return [f"expected rows in {file}, found none"]
    kind, block = page.block_after(index)
    match = TABLE.match(wanted)
    if match and kind == "table":
        return _table(rows, match, block)
    if match or kind == "none":
        return [f"expected a {'table' if match else 'paragraph'} below the comment, found none"]
    text = block if kind == "text" else "\n".join(" ".join(row) for row in block)
    wrong = []
    for statement in wanted.split(";"):
        wrong += _statement(rows, statement.strip(), text)
    return wrong


def check(pages, root):
    findings = []
    for page in pages.values():
        for name, value, line, index in page.comments:
            if name != "measured":
                continue
            try:
                wrong = _check_comment(page, value, index)
            except ValueError as error:
                wrong = [str(error)]
            findings += [page.finding(line, message) for message in wrong]
    return findings
