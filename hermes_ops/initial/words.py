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
    "prices.NAME": "Prices by the model's name, for whichever of the models above has none of its own.",
    "memory": "Who shares a conversation, and whether preferences are kept.",
    "trace": "How long runs are kept; older ones go at the first question of a day. `hermes-ops trace prune`: now.",
    "log": "One JSON line for each decision (docs/TRACE.md).",
    "feishu": "The Feishu (Lark) bot.",
    "serve": "The process that answers in chat.",
    "sources": "Where it looks things up.",
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
    "feishu.proxy": Words("An HTTP proxy for the platform.", "http://proxy.example:3128"),
    "serve.host": Words("Where it listens for web hooks and pages."),
    "serve.port": Words("Its port; 0: a free one."),
    "serve.questions": Words("Questions at once in this process."),
    "serve.per_conversation": Words("Of them in one conversation."),
    "serve.queue": Words("So many more may wait."),
    "sources.folder": Words("A directory of exported files.", "/srv/incident"),
    "services.NAME.aliases": Words("Other words for it, in any language.", ["结算", "check-out"]),
    "services.NAME.team": Words("Who owns it.", "payments"),
    "services.NAME.depends_on": Words("Services it calls; each needs its own table.", []),
    "services.NAME.tier": Words("How important it is, in your own words.", "1"),
    "services.NAME.environment": Words("Where it runs.", "prod"),
    "services.NAME.repository": Words("Its source.", "example/checkout"),
    "environments.NAME.aliases": Words("Other words for it.", ["生产", "production"]),
}

NAMES: Mapping[str, str] = {"services": "checkout", "environments": "prod", "prices": "qwen3.5-plus"}
