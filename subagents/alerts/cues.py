"""Words by which a question concerns monitoring."""

from __future__ import annotations

CUES = (
    "target", "targets", "exporter", "rule", "rules",
    "alert", "alerts", "alarm", "alarms", "fire", "firing", "fired", "p0", "p1", "page", "pages", "paged",
    "pager", "monitor", "monitoring", "metric", "metrics", "slo", "sla", "availability", "available", "uptime",
    "success rate", "error rate", "qps", "rps", "cpu", "memory", "disk", "latency", "p99", "p95", "traffic", "load",
    "flapping", "告警", "报警", "警报", "预警", "监控", "指标", "可用率", "可用性", "成功率", "错误率", "触发", "恢复",
    "抖动", "响了", "响几", "error budget", "错误预算", "抓取", "采集", "规则", "流量", "内存", "磁盘", "延迟", "负载",
    "水位", "叫醒", "积压", "堆积", "queue", "backlog", "lag", "silenced", "silence", "inhibited", "静默", "抑制",
    "receiver", "receivers", "notified", "接收人", "接收者", "通知了谁",
)  # fmt: skip
