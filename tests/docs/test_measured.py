"""The pages and pictures about speed say what the record says."""

from __future__ import annotations

import doctest
import xml.etree.ElementTree as ElementTree

import pytest

pytest.importorskip("tomllib", reason="benchmarks are described in TOML, which Python reads from 3.11 on")

from bench import chart, figures, records, report, summary
from bench.results import Line
from bench.rows import read_benchmarks

BENCHMARKS = read_benchmarks()


def lines(**rates: tuple[float, str]) -> list[Line]:
    """A row in which each engine has a rate and an answer."""
    row = "cl100k-english"
    return [
        Line(row=row, engine=engine, threads="1", status="ok", exact=exact, cold_mb_s=rate, cold_s=1 / rate)
        for engine, (rate, exact) in rates.items()
    ]


def test_everything_is_up_to_date() -> None:
    assert report.main(["--check"]) == 0, "run make report"


def test_a_stale_file_is_found(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    written = report.rendered(BENCHMARKS, records.newest())
    page = next(path for path in written if path.name == "benchmarks.md")
    monkeypatch.setattr(report, "rendered", lambda *_: written | {page: "another text"})
    assert report.main(["--check"]) == 1
    assert "benchmarks.md is out of date" in capsys.readouterr().err
    assert page.read_text(encoding="utf-8") != "another text"


def test_the_newest_run_of_each_row_counts() -> None:
    old, new, other = (Line(date=date, row=row) for date, row in (("1", "a"), ("2", "a"), ("1", "b")))
    assert records.newest_of([new, old, other]) == {"a": [new], "b": [other]}


def test_bars_are_as_long_as_rates_and_inexact_engines_are_outlined() -> None:
    found = {"cl100k-english": lines(bytemill=(100.0, "yes"), tokie=(50.0, "no"))}
    drawn = ElementTree.fromstring(chart.wide(BENCHMARKS, found, chart.LIGHT))
    bars = [bar.attrib for bar in drawn.iter("{http://www.w3.org/2000/svg}rect")]
    assert [bar["fill"] for bar in bars] == [chart.LIGHT.ours, "none"]
    assert float(bars[0]["width"]) == 2 * float(bars[1]["width"])


def test_the_weakest_row_is_drawn_from_the_record() -> None:
    weakest = chart.weakest(BENCHMARKS, records.newest())
    assert weakest is not None
    ratios = [records.against_peers(row, records.newest()) for row in BENCHMARKS.rows]
    rated = [ratio for ratio in ratios if ratio is not None]
    assert weakest[1] == pytest.approx(min(rated), rel=0.1)


def test_the_summary_fits_on_one_screen() -> None:
    page = summary.render(BENCHMARKS, records.newest())
    assert len(page.splitlines()) < 60
    assert len(page.split()) < 600


def test_the_readme_asks_for_numbers_that_were_measured() -> None:
    with pytest.raises(LookupError, match="tokie in no-such-row"):
        figures.filled("<!--bench no-such-row tokie cold_mb_s-->1<!--/bench-->", records.newest())
    assert doctest.testmod(figures) == doctest.TestResults(failed=0, attempted=3)
