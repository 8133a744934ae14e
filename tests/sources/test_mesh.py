"""Who calls whom, from the counters of meshes in a real Prometheus."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import pytest

from subagents.prometheus.source import prometheus
from subagents.web import Site, Web
from tests.sources import servers

pytestmark = [pytest.mark.slow, pytest.mark.timeout(120)]


async def test_who_calls_whom_from_a_mesh(tmp_path: Path) -> None:
    start = int(datetime.now(UTC).timestamp()) - 1800
    ends = 'source_canonical_service="web",destination_canonical_service="cart"'
    odd = 'source_canonical_service="unknown",destination_canonical_service="cart"'
    istio = [f'{ends},reporter="source"', f'{ends},reporter="destination"', f'{odd},reporter="destination"']
    linkerd = ['direction="outbound",deployment="web",dst_deployment="cart"', 'direction="inbound",deployment="cart"']
    for n, (metric, labels) in enumerate((("istio_requests", istio), ("response", linkerd))):
        samples = [f"{metric}_total{{{row}}} {10 * k} {start + 15 * k}" for row in labels for k in range(120)]
        path = tmp_path / f"{n}.om"
        path.write_text("\n".join([f"# TYPE {metric} counter", *samples, "# EOF", ""]))
        client = Web()
        with servers.prometheus(path) as url:
            found = await prometheus("prod", client.at(Site("prod", url, timeout=25.0))).spans[0].edges(None)
        await client.aclose()
        assert [(e.caller, e.callee) for e in found.rows] == [("web", "cart")], metric
        assert abs(found.rows[0].calls - 1190) < 30, "each call once, whichever ends count it"
        assert found.approx
