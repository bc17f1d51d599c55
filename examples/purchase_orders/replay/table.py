"""The figures of a replay as a table for people."""

from __future__ import annotations

from collections.abc import Iterator

from examples.purchase_orders.replay.figures import PARTS, Figures, Recovery
from examples.purchase_orders.replay.report import Report

WIDTHS = (34, 28, 28)


def lines(report: Report) -> Iterator[str]:
    plan, outcome = report.plan, report.outcome
    way = "as the old code did it" if plan.naive else "with the record"
    yield f"The deploy that met {outcome.in_flight:,} runs in flight, {way}"
    yield (
        f"{plan.workers} workers of {plan.threads} threads, vendors at {plan.speed:g} × their real speed, "
        f"grace {plan.grace:.1f} s, lease {plan.ttl:.1f} s; {outcome.killed} workers were killed; "
        f"{outcome.seconds:.0f} s in all."
    )
    if plan.slow:
        slow = ", ".join(f"{vendor} takes {times:g} times as long" for vendor, times in plan.slow)
        yield f"On a bad day: {slow}."
    yield ""
    yield _row("", "notes of the old code" if plan.naive else "record", "vendors’ books")
    yield "─" * sum(WIDTHS)
    yield from _counts(report.record, report.books)
    yield from _duplicates(report.record, report.books)
    yield from _recovery(report.record, report.books)
    yield ""
    yield from _verdict(report)


def _counts(record: Figures, books: Figures) -> Iterator[str]:
    for title, name in (
        ("finished", "finished"),
        ("handed over", "handed_over"),
        ("cut", "cut"),
        ("in doubt", "in_doubt"),
        ("steps repeated after their commit", "steps_repeated"),
    ):
        yield _row(title, f"{getattr(record, name):,}", f"{getattr(books, name):,}")


def _duplicates(record: Figures, books: Figures) -> Iterator[str]:
    ours = {(d.vendor, d.currency): d for d in record.duplicates}
    theirs = {(d.vendor, d.currency): d for d in books.duplicates}
    if not ours and not theirs:
        yield _row("bought twice", "0", "0")
    for vendor, currency in sorted(ours.keys() | theirs.keys()):
        shown = [
            f"{d.calls:,} × {d.amount:,.2f} {currency}".replace(" × ", " for ")
            if currency
            else f"{d.calls:,} free"
            for d in (ours.get((vendor, currency)), theirs.get((vendor, currency)))
            if d is not None
        ]
        yield _row(f"bought twice from {vendor}", *shown)


def _recovery(record: Figures, books: Figures) -> Iterator[str]:
    for part in PARTS:
        yield _row(
            f"recovery after a cut, {part}",
            *(_seconds(figures.recovery, part) for figures in (record, books)),
        )
    yield _row("taken up after a hand-over, max", _seconds(record.waited, "max"), "")


def _seconds(recovery: Recovery | None, part: str) -> str:
    return f"{getattr(recovery, part):.1f} s" if recovery else "–"


def _verdict(report: Report) -> Iterator[str]:
    for text, count in sorted(report.verdict.remarks.items()):
        yield f"  {count:,} {text}"
    if report.verdict.agree:
        yield (
            "Run by run, the books and the record agree."
            if not report.plan.naive
            else "Run by run, books and notes agree."
        )
    for text in report.verdict.disagreements[:20]:
        yield f"  DISAGREES: {text}"
    if (more := len(report.verdict.disagreements) - 20) > 0:
        yield f"  and {more:,} more"
    for text in report.broken:
        yield f"  BROKEN: {text}"


def _row(*cells: str) -> str:
    first, *others = cells
    return first.ljust(WIDTHS[0]) + "".join(
        cell.rjust(width) for cell, width in zip(others, WIDTHS[1:], strict=False)
    )
