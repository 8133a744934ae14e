"""What each key of the settings means, in a sentence, and an example where the default says nothing.

A test holds this table to the settings: no key without words, no words without a key.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from orchestrator.contracts import Json
from orchestrator.gateway.profiles import PROFILES


@dataclass(frozen=True, slots=True)
class Words:
    """`example`: a valid value, shown instead of a default that is empty."""

    text: str
    example: Json = None


SECTIONS: Mapping[str, str] = {
    "model": "The model that answers. Without one the sub-agents run their playbooks. docs/MODELS.md has what to write "
    "for OpenAI, DeepSeek, Qwen, Kimi, GLM, Doubao, vLLM and Ollama; `hermes-ops doctor` tries it.",
    "model.price": "What the model costs, for the cost in answers and traces: per million tokens, in any currency.",
    "model.fallbacks": "Models that stand in, in order, when the one above can't be used; same keys. At the same "
    "address what is left out is the first one's.",
    "model.light": "A lighter model for summaries and extraction; same keys.",
    "limits": "How much work a question may be.",
    "budget": "Tokens a day of all processes on the database; a new day begins at midnight in `zone`.",
    "budgets.NAME": "Who belongs to a team, for its budget.",
    "prices.NAME": "Prices by the model's name, for whichever of the models above has none of its own.",
    "memory": "Who shares a conversation, and whether preferences are kept.",
    "trace": "How long runs are kept; older ones go at the first question of a day. `hermes-ops trace prune`: now.",
    "log": "One JSON line for each decision (docs/TRACE.md).",
    "feishu": "The Feishu (Lark) bot.",
    "serve": "The process that answers in chat.",
    "sources": "Where it looks things up.",
    "hooks": "What other systems tell by POST /hooks/alerts/NAME and /hooks/changes/NAME (docs/HOOKS.md). Sources of "
    "kind `store` answer from it.",
    "hooks.alerts.NAME": "Who may tell of alerts.",
    "hooks.alerts.NAME.map": "Of kind generic: where values stand.",
    "hooks.changes.NAME": "Who may tell of changes.",
    "hooks.changes.NAME.map": "Of kind generic: where values stand.",
    "hooks.look": "First look: alert groups that arrive investigate themselves.",
    "hooks.look.rules": "Which, and in which chat; the first that fits counts.",
    "team": "Whose reports these are, and where they go. With a chat here, `serve` sends a daily one at 9 on workdays.",
    "oncall": "Who is on call: people take turns.",
    "report": "The ops report: what counts, and from when on its verdict minds.",
    "schedules.NAME": "Reports at fixed times (docs/SCHEDULES.md). The morning's is there by itself as `daily`.",
    "services.NAME": "The service catalogue: names, and who depends on whom. Without it both are learnt from the data.",
    "environments.NAME": "Environments, and what else they are called.",
}

KEYS: Mapping[str, Words] = {
    "data_dir": Words("Where the database, the masking key, the index of folders and the log lie."),
    "database_url": Words(
        "An SQLite file in data_dir, or PostgreSQL (the postgres extra). A password goes into { env = … }.",
        {"env": "HERMES_OPS_DATABASE_URL"},
    ),
    "zone": Words("The asker's time zone, by IANA name; empty: the machine's. --zone goes before it.", "Asia/Shanghai"),
    "language": Words('"auto" (the question\'s, else the terminal\'s), "zh" or "en".'),
    "uncited": Words(
        'An answer that cites no evidence goes back to the model once ("send_back"), or is marked ("mark").'
    ),
    "model.model": Words("The model's name at its server.", "qwen3.5-plus"),
    "model.base_url": Words(
        "An OpenAI-compatible address, with its /v1 where it has one; empty: the profile's.",
        "https://dashscope.aliyuncs.com/compatible-mode/v1",
    ),
    "model.api_key": Words(
        'The key: never here, but { env = "NAME" } or { file = "PATH" } (relative to this file).',
        {"env": "HERMES_OPS_API_KEY"},
    ),
    "model.profile": Words(f"The server's quirks, else guessed: {', '.join(PROFILES)}.", "qwen"),
    "model.temperature": Words("0 to 2; without it the server's.", 0.2),
    "model.extra_body": Words(
        "Further fields of each request, such as switching thinking off.", {"enable_thinking": False}
    ),
    "model.vision": Words("Show it pictures or not; without it as the vendor documents for its name.", True),
    "model.stream": Words("Stream replies or not; without it the profile's.", True),
    "model.tools": Words('"native", or "text" for models without native tool calls.'),
    "model.timeout": Words("Seconds without a byte, after which a request counts as lost."),
    "model.proxy": Words("An HTTP proxy for this model; SOCKS proxies can't be used.", "http://proxy.example:3128"),
    "model.ca": Words(
        "A PEM file of certificate authorities, for a server inside the company.", "/etc/ssl/company.pem"
    ),
    "model.price.prompt": Words("For what is sent.", 0.8),
    "model.price.completion": Words("For what comes back.", 2.0),
    "model.price.cached": Words("For what is sent and was cached at the provider; else as `prompt`.", 0.2),
    "model.calls_per_minute": Words("Of the whole process; without it as many as it takes.", 60),
    "limits.supervisor_steps": Words("Model calls of the supervisor; the last one must answer."),
    "limits.subagent_steps": Words("The same of a sub-agent."),
    "limits.question_soft": Words("Seconds until a question is summed up."),
    "limits.question_hard": Words("Seconds until what still runs is ended."),
    "limits.subagent_seconds": Words("Seconds for a sub-agent."),
    "limits.parallel": Words("Tool calls of one turn that run together."),
    "limits.history_tokens": Words("Tokens of a context before it is cut."),
    "prices.NAME.prompt": Words("Per million tokens.", 0.8),
    "prices.NAME.completion": Words("Per million tokens.", 2.0),
    "prices.NAME.cached": Words("Per million tokens; else as `prompt`.", 0.2),
    "memory.share_threads": Words("A thread is one conversation of all who write in it."),
    "memory.share_chats": Words("So is a group's main chat; else each person has one there."),
    "memory.notes": Words("Persons' preferences are kept (`hermes-ops memory list`)."),
    "memory.keep_days": Words("Days that turns are kept, the last ones of a conversation longer; 0: for ever."),
    "memory.keep_mb": Words("Megabytes of turns; 0: as much as there is."),
    "trace.keep_days": Words("Days; 0: for ever."),
    "trace.keep_mb": Words("Megabytes of events and texts; 0: as much as there is."),
    "log.level": Words(
        '"off"; "info": names, figures, times; "debug": questions, reasons, arguments, answers as well.'
    ),
    "log.file": Words('In data_dir; "": no file.'),
    "log.stderr": Words("The same lines on stderr."),
    "log.prompts": Words("Whole prompts and replies too. They hold what people asked and what sources said."),
    "feishu.app_id": Words("The app's id, from the developer console.", "cli_example"),
    "feishu.app_secret": Words("Its secret, as a reference.", {"env": "FEISHU_APP_SECRET"}),
    "feishu.domain": Words("The platform's address: Lark's is https://open.larksuite.com."),
    "feishu.mode": Words('"socket" (a long connection from here; nothing has to reach us) or "webhook".'),
    "feishu.encrypt_key": Words("For web hooks: the key of their encryption.", {"env": "FEISHU_ENCRYPT_KEY"}),
    "feishu.verification_token": Words("For web hooks: their token.", {"env": "FEISHU_VERIFICATION_TOKEN"}),
    "feishu.owner": Words("Who is always answered, by the open_id of this app.", "ou_example"),
    "feishu.users": Words('Who else is answered; "*": everybody.', ["ou_another"]),
    "feishu.chats": Words('Groups in which everybody is answered; "*": all of them.', ["oc_example"]),
    "feishu.mention_all": Words("A message to @all is meant for the bot as well."),
    "feishu.stale_minutes": Words("Older messages are told so instead of answered."),
    "feishu.verdict_after": Words("Seconds after which an answer ends with a new message; 0: never."),
    "feishu.quiet_chats": Words("Groups where it never does.", ["oc_example"]),
    "feishu.recalled": Words('A question that is taken back: "answer" it in its chat, or "stop".'),
    "feishu.proxy": Words("An HTTP proxy for the platform.", "http://proxy.example:3128"),
    "serve.host": Words("Where it listens for web hooks and pages."),
    "serve.port": Words("Its port; 0: a free one."),
    "serve.runtime": Words('"local": the only process on its database; "cluster": one of several on PostgreSQL.'),
    "serve.questions": Words("Questions at once in this process."),
    "serve.per_conversation": Words("Of them in one conversation."),
    "channels": Words(
        "Channels of other packages: a table by the channel's name, with the options it has (docs/CHANNELS.md).",
        {"mattermost": {"url": "https://chat.example", "token": {"env": "MATTERMOST_TOKEN"}}},
    ),
    "serve.queue": Words("So many more may wait."),
    "serve.drain": Words("Seconds that what runs has to end after SIGTERM."),
    "serve.trace_token": Words("Opens the inspector under /traces; off without one.", {"env": "TRACE_TOKEN"}),
    "serve.url": Words("Where people reach this, for links to the inspector in chats.", "https://hermes.example"),
    "budget.day": Words("Tokens a day of all together; 0: no bound."),
    "budget.user": Words("Of each person."),
    "budget.team": Words("Of each team."),
    "budgets.NAME.users": Words("Its people, by user id.", ["ou_another"]),
    "budgets.NAME.chats": Words("Its chats: whoever asks there.", ["oc_example"]),
    "budgets.NAME.tokens": Words("Its own bound, else budget.team.", 500000),
    "sources.folder": Words("A directory of exported files, beside the live sources.", "/srv/incident"),
    "sources.folder_zone": Words("The zone of times in it that state none; empty: told by its files and the asker."),
    "sources.alerts": Words(
        "Prometheus, VictoriaMetrics, Alertmanager. docs/SOURCES.md has the keys; each may be a table of its own, "
        "[sources.alerts.prod].",
        {"prod": {"kind": "prometheus", "url": "http://127.0.0.1:9090"}},
    ),
    "sources.logs": Words(
        "Loki, VictoriaLogs, files: in the same way.", {"prod": {"kind": "loki", "url": "http://127.0.0.1:3100"}}
    ),
    "sources.changes": Words(
        "What was received by web hook, and git: in the same way.", {"received": {"kind": "store"}}
    ),
    "toolkit": Words(
        "Tools of yours for a sub-agent (docs/TOOLKIT.md): http or sql, one table each.",
        {
            "orders": {
                "kind": "sql",
                "agent": "logs",
                "description": "The order database: orders(id, status, at). For counts of orders by status.",
                "sqlite": "orders.db",
            }
        },
    ),
    "hooks.keep_days": Words("Days after the last word on it that a record is kept."),
    "hooks.most": Words("Records that are kept; the oldest go."),
    "hooks.body_kb": Words("Of one delivery; larger ones are refused."),
    "hooks.alerts.NAME.secret": Words("Without one it refuses everything.", {"env": "ALERT_HOOK"}),
    "hooks.alerts.NAME.user": Words("Whose password it is, with basic authentication; empty: any name."),
    "hooks.alerts.NAME.zone": Words("Of times that state no offset."),
    "hooks.alerts.NAME.kind": Words("alertmanager, grafana, nightingale or generic; empty: the name, else generic."),
    "hooks.alerts.NAME.service_labels": Words("Which label is the service: the first that is there."),
    "hooks.alerts.NAME.severity_labels": Words("The same for the severity."),
    "hooks.alerts.NAME.severities": Words("The sender's words → yours.", {"P1": "critical"}),
    "hooks.alerts.NAME.silent_hours": Words("An open alert that wasn't told of for longer may be over."),
    "hooks.alerts.NAME.map.list": Words("Where the alerts stand, if there are several.", "alerts"),
    "hooks.alerts.NAME.map.name": Words("A path, several, or =words; empty: by usual names.", "event.name"),
    "hooks.alerts.NAME.map.severity": Words("Its severity.", "event.severity"),
    "hooks.alerts.NAME.map.service": Words("Whose it is; the first there.", ["tags[tag=service].value", "host"]),
    "hooks.alerts.NAME.map.state": Words("Whether it fires.", "event.value"),
    "hooks.alerts.NAME.map.start": Words("When it began; empty: when it was received.", "event.time"),
    "hooks.alerts.NAME.map.end": Words("When it was over.", "recovery.time"),
    "hooks.alerts.NAME.map.id": Words("The same while it fires and when it is over.", "event.id"),
    "hooks.alerts.NAME.map.summary": Words("What it says.", "message"),
    "hooks.alerts.NAME.map.link": Words("The address of its page.", "url"),
    "hooks.alerts.NAME.map.labels": Words("More labels.", "tags"),
    "hooks.alerts.NAME.map.firing": Words("What the state says while it fires.", ["1"]),
    "hooks.alerts.NAME.map.resolved": Words("What it says when it is over.", ["0"]),
    "hooks.changes.NAME.secret": Words("Without one it refuses everything.", {"env": "CHANGE_HOOK"}),
    "hooks.changes.NAME.user": Words("Whose password it is, with basic authentication; empty: any name."),
    "hooks.changes.NAME.zone": Words("Of times that state no offset."),
    "hooks.changes.NAME.kind": Words("github, gitlab or generic; empty: the name, else generic."),
    "hooks.changes.NAME.branches": Words("Whose pushes count; empty: the default branch's.", ["main", "release/*"]),
    "hooks.changes.NAME.map.list": Words("Where the changes stand, if there are several.", "builds"),
    "hooks.changes.NAME.map.id": Words("The same for all steps of one change.", "build.url"),
    "hooks.changes.NAME.map.kind": Words("=deploy, or a path to commit, deploy, release, flag, config or ticket."),
    "hooks.changes.NAME.map.service": Words("Whose it is.", "build.parameters.SERVICE"),
    "hooks.changes.NAME.map.at": Words("When it was made; empty: when it was received.", "build.timestamp"),
    "hooks.changes.NAME.map.title": Words("Needed.", "display_name"),
    "hooks.changes.NAME.map.author": Words("Who made it.", "user"),
    "hooks.changes.NAME.map.version": Words("Which version.", "build.parameters.VERSION"),
    "hooks.changes.NAME.map.sha": Words("Which commit.", "build.scm.commit"),
    "hooks.changes.NAME.map.environment": Words("Where.", "build.parameters.ENV"),
    "hooks.changes.NAME.map.body": Words("What it says.", "comment"),
    "hooks.changes.NAME.map.link": Words("The address of its page.", "build.url"),
    "hooks.changes.NAME.map.only": Words("Values that a change must have to be kept.", {"build.status": ["SUCCESS"]}),
    "hooks.look.on": Words("Whether alert groups that arrive investigate themselves."),
    "hooks.look.hourly": Words("Cards an hour in one chat."),
    "hooks.look.cool_down": Words("Minutes before a group is looked at again."),
    "hooks.look.settle": Words("Seconds in which a group may grow before it is looked at."),
    "hooks.look.storm": Words("More groups than that at once are one card and one question."),
    "hooks.look.storm_seconds": Words("What at once means."),
    "hooks.look.at_once": Words("Its questions that run together; less than serve.questions."),
    "hooks.look.rules.chat": Words("Where its card appears, by the platform's id.", "oc_example"),
    "hooks.look.rules.severities": Words("Only these; empty: all.", ["critical"]),
    "hooks.look.rules.labels": Words("Only alerts with all of these.", {"team": "payments"}),
    "team.name": Words("As the reports call it.", "shop"),
    "team.zone": Words("Whose days and clock its reports go by; empty: `zone`.", "Asia/Shanghai"),
    "team.chats": Words("Chats that get its reports, by the platform's id.", ["oc_example"]),
    "team.operators": Words("Who may confirm causes in chat, beside feishu.owner.", ["ou_example"]),
    "team.workdays": Words("A file of holidays and worked weekends; without it Monday to Friday.", "/srv/workdays.txt"),
    "team.language": Words('Of its reports: "zh" or "en".'),
    "team.own_schedules": Words("How many schedules of their own a person may have; 0: none."),
    "oncall.people": Words("In their order.", ["Zhang Wei", "Li Na"]),
    "oncall.since": Words("The day when the first of them begins.", "2026-11-30"),
    "oncall.days": Words("Days of a turn."),
    "oncall.at": Words("The clock time, in the team's zone, when the next one takes over."),
    "oncall.swaps": Words("Who has a day instead.", {"2026-12-24": "Li Na"}),
    "oncall.contacts": Words("How to reach somebody.", {"Li Na": "+86 …"}),
    "report.core": Words("Services whose availability is told; empty: those of tier core, else all.", ["checkout"]),
    "report.objectives": Words("Percent of good requests promised, by service.", {"checkout": 99.95}),
    "report.objective": Words("For services without one of their own; missing it is to be watched, not bad."),
    "report.budget_days": Words("Days that an error budget is for."),
    "report.burst": Words("Error lines of a service in an hour that are an incident though no alert fired."),
    "report.errors_worth": Words("Fewer error lines than that never alarm."),
    "report.growth": Words("So many times the like day's error lines do."),
    "report.incidents": Words("Incidents whose cause is analysed, the worst first."),
    "schedules.NAME.cron": Words("minute hour day month weekday."),
    "schedules.NAME.zone": Words("Whose clock that is; empty: the team's.", "Europe/Berlin"),
    "schedules.NAME.report": Words('Of the "day" or "week" before, or of the "shift" that ends then.'),
    "schedules.NAME.window": Words("Words for its window, instead.", "昨晚21:00到今早9:00"),
    "schedules.NAME.chats": Words("Who gets it; empty: the team's chats.", ["oc_another"]),
    "schedules.NAME.workdays": Words("On workdays only."),
    "schedules.NAME.on": Words("false: not any more; the one called `daily` too."),
    "services.NAME.aliases": Words("Other words for it, in any language.", ["结算", "check-out"]),
    "services.NAME.team": Words("Who owns it.", "payments"),
    "services.NAME.depends_on": Words("Services it calls; each needs its own table.", []),
    "services.NAME.tier": Words("How important it is, in your own words.", "1"),
    "services.NAME.environment": Words("Where it runs.", "prod"),
    "services.NAME.repository": Words("Its source.", "example/checkout"),
    "environments.NAME.aliases": Words("Other words for it.", ["生产", "production"]),
}

NAMES: Mapping[str, str] = {
    "budgets": "payments",
    "alerts": "alertmanager",
    "changes": "github",
    "services": "checkout",
    "environments": "prod",
    "prices": "qwen3.5-plus",
    "schedules": "evening",
}
