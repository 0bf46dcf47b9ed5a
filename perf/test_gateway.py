"""The gateway beside the same requests made directly: one answer, the first piece of a stream, 64 streams, 50 MB."""

import os
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from statistics import median
from typing import Any

import httpx
import pytest

from benchmark.core.model import Limits
from fixtures.gateway.client import Gateway, TrialChannel
from tests.fixtures.gateway.upstream import (
    ASK,
    Act,
    Upstream,
    agent,
    answering,
    completion,
    ending,
    piece,
    running,
    streaming,
    upstream,
)

STREAM = {**ASK, "stream": True}
#: About what a coding agent sends in the middle of a task.
LONG = {**ASK, "messages": [{"role": "user", "content": "word " * 50_000}]}
PATH = "/v1/chat/completions"
ROUNDS = {"rounds": 200, "warmup_rounds": 20}


@pytest.fixture(scope="module")
def gateway() -> Iterator[Gateway]:
    with running() as opened:
        yield opened


@contextmanager
def clients(gateway: Gateway, server: Upstream, through: bool) -> Iterator[tuple[httpx.Client, TrialChannel]]:
    """A client that asks directly or through a line; the line is there for both."""
    with gateway.open("p/r0", agent(server), None) as line:
        line.begin(Limits())
        transport = httpx.HTTPTransport(uds=str(line.socket) if through else None, verify=False)
        with httpx.Client(transport=transport, base_url="http://model" if through else server.url, timeout=60) as session:
            yield session, line


def measured(benchmark: Any, gateway: Gateway, act: Act, body: dict[str, Any], through: bool, first: bool = False) -> None:
    """Time one request after the other; with `first` until the first piece is there."""

    def once(session: httpx.Client) -> float:
        started = time.perf_counter()
        with session.stream("POST", PATH, json=body) as answer:
            parts = answer.iter_raw()
            next(parts)
            arrived = time.perf_counter()
            for _ in parts:
                pass
        return arrived - started

    with upstream(act) as server, clients(gateway, server, through) as (session, _):
        waits: list[float] = []
        benchmark.pedantic(lambda: waits.append(once(session)), **ROUNDS)
        if first:
            benchmark.extra_info["figures"] = {"median ms to the first piece": 1000 * median(waits)}
        else:
            benchmark.extra_info["figures"] = {"median ms": 1000 * benchmark.stats.stats.median}


@pytest.mark.benchmark(group="a request to the model")
def test_baseline_direct_request(benchmark: Any, gateway: Gateway) -> None:
    measured(benchmark, gateway, answering(completion("hi")), ASK, through=False)


@pytest.mark.benchmark(group="a request to the model")
def test_request_through_the_gateway(benchmark: Any, gateway: Gateway) -> None:
    measured(benchmark, gateway, answering(completion("hi")), ASK, through=True)


@pytest.mark.benchmark(group="a request of 250 kB")
def test_baseline_direct_long_request(benchmark: Any, gateway: Gateway) -> None:
    measured(benchmark, gateway, answering(completion("hi")), LONG, through=False)


@pytest.mark.benchmark(group="a request of 250 kB")
def test_long_request_through_the_gateway(benchmark: Any, gateway: Gateway) -> None:
    measured(benchmark, gateway, answering(completion("hi")), LONG, through=True)


@pytest.mark.benchmark(group="a stream's first piece")
def test_baseline_direct_stream(benchmark: Any, gateway: Gateway) -> None:
    measured(benchmark, gateway, streaming(piece("a"), 0.01, *ending()), STREAM, through=False, first=True)


@pytest.mark.benchmark(group="a stream's first piece")
def test_stream_through_the_gateway(benchmark: Any, gateway: Gateway) -> None:
    measured(benchmark, gateway, streaming(piece("a"), 0.01, *ending()), STREAM, through=True, first=True)


def side_by_side(benchmark: Any, gateway: Gateway, through: bool) -> None:
    pieces = [part for number in range(50) for part in (piece(f"word {number}"), 0.02)]

    with upstream(streaming(*pieces, *ending())) as server, clients(gateway, server, through) as (session, line):

        def stream() -> None:
            with session.stream("POST", PATH, json=STREAM) as answer:
                assert b"".join(answer.iter_raw()).endswith(b"[DONE]\n\n")

        def all_of_them() -> None:
            threads = [threading.Thread(target=stream) for _ in range(64)]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()

        benchmark.pedantic(all_of_them, rounds=3, warmup_rounds=1)
        assert line.end().fault is None


@pytest.mark.benchmark(group="64 streams of a second side by side")
def test_baseline_direct_64_streams(benchmark: Any, gateway: Gateway) -> None:
    side_by_side(benchmark, gateway, through=False)


@pytest.mark.benchmark(group="64 streams of a second side by side")
def test_64_streams_through_the_gateway(benchmark: Any, gateway: Gateway) -> None:
    side_by_side(benchmark, gateway, through=True)


def large(benchmark: Any, gateway: Gateway, through: bool) -> None:
    pid = gateway._ask("GET", "/")["pid"]
    block = piece("x" * 65_000)
    held: list[int] = []

    with upstream(streaming(*[block] * 800, *ending())) as server, clients(gateway, server, through) as (session, _):

        def stream() -> None:
            peak = resident(pid)
            with session.stream("POST", PATH, json=STREAM) as answer:
                for number, _ in enumerate(answer.iter_raw()):
                    if number % 20 == 0:
                        peak = max(peak, resident(pid))
            held.append(peak)

        benchmark.pedantic(stream, rounds=5, warmup_rounds=1)
    benchmark.extra_info["figures"] = {"MiB that the gateway holds at most": max(held) / 2**20}


def resident(pid: int) -> int:
    """Bytes of memory that a process holds."""
    return int(Path(f"/proc/{pid}/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")


@pytest.mark.benchmark(group="a stream of 50 MB")
def test_baseline_direct_large_stream(benchmark: Any, gateway: Gateway) -> None:
    large(benchmark, gateway, through=False)


@pytest.mark.benchmark(group="a stream of 50 MB")
def test_large_stream_through_the_gateway(benchmark: Any, gateway: Gateway) -> None:
    large(benchmark, gateway, through=True)
