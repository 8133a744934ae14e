"""All settings as one typed object: a TOML file, then the environment over it.

`load()` reads `HERMES_OPS_CONFIG` (else config.toml in the user's configuration directory), then `HERMES_OPS_…`
variables, nested by `__`. What is wrong becomes one sentence that names the file or variable, the key and what is
valid. Secrets stand in the environment or a file of their own, never in the TOML. It opens no database and no socket.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any, Literal

from platformdirs import user_data_path
from pydantic import AfterValidator, BeforeValidator, Field, model_validator

from hermes_ops.budget_settings import BudgetSettings, TeamBudget
from hermes_ops.hooks.settings import HookSettings
from hermes_ops.keys import masking_key, read_options, read_url
from hermes_ops.recall.sessions import Sharing
from hermes_ops.report.settings import ReportSettings
from hermes_ops.schedule.settings import OnCallSettings, ScheduleSettings, TeamSettings
from hermes_ops.sections import Profile, Proxy, Seconds, Secret, Section, Url, Zone, hard_to_guess
from hermes_ops.sourcing.changes import GitSettings
from hermes_ops.sourcing.settings import SourceSettings
from hermes_ops.toolkit import ToolkitSettings
from orchestrator.gateway.endpoint import Endpoint, Price
from orchestrator.ports import Limits
from orchestrator.scope import Catalogue, Environment, Service


def _positive(limits: Limits) -> Limits:
    for name in Limits.__dataclass_fields__:
        if not getattr(limits, name) > 0:
            raise ValueError(f"{name} must be more than 0")
    if limits.question_soft > limits.question_hard:
        raise ValueError("question_soft must not be more than question_hard")
    return limits


class OneModel(Section):
    """A model at an address. `profile`: its server's quirks, guessed where empty; `timeout`: seconds without a byte;
    `vision`: whether it is shown pictures, where not as the profile knows of its name."""

    model: str = ""
    base_url: Url = ""
    api_key: Secret | None = None
    profile: Profile = ""
    temperature: Annotated[float, Field(ge=0, le=2)] | None = None
    extra_body: dict[str, Any] = Field(default_factory=dict)
    stream: bool | None = None
    tools: Literal["native", "text"] = "native"
    timeout: Seconds = 60.0
    proxy: Proxy = ""
    ca: str = ""
    price: Price | None = None
    vision: bool | None = None

    def endpoint(self) -> Endpoint:
        given = {name: getattr(self, name) for name in OneModel.model_fields if name != "api_key"}
        return Endpoint(**given, api_key=self.api_key.get_secret_value() if self.api_key else "")


class ModelSettings(OneModel):
    """The model that answers, those that stand in for it in order, and a lighter one for summaries."""

    fallbacks: tuple[OneModel, ...] = ()
    light: OneModel | None = None
    calls_per_minute: Annotated[int, Field(gt=0)] | None = None

    def endpoints(self) -> tuple[Endpoint, ...]:
        """The model first, then its fallbacks; empty where no model is named."""
        return (self.endpoint(), *(self._filled(f) for f in self.fallbacks)) if self.model else ()

    @property
    def sees(self) -> bool:
        """One of them is shown pictures."""
        return any(endpoint.sees for endpoint in self.endpoints())

    def light_endpoint(self) -> Endpoint | None:
        return self._filled(self.light) if self.light and self.light.model else None

    def _filled(self, other: OneModel) -> Endpoint:
        """What another model leaves out is the first one's, at the same address only: a key is for its own server."""
        if other.base_url not in ("", self.base_url):
            return other.endpoint()
        shared = {"base_url", "api_key", "profile", "timeout", "proxy", "ca"} - other.model_fields_set
        return other.model_copy(update={name: getattr(self, name) for name in shared}).endpoint()


class ServiceSettings(Section):
    """One service of the catalogue, `[services.NAME]`."""

    aliases: tuple[str, ...] = ()
    team: str = ""
    depends_on: tuple[str, ...] = ()
    tier: str = ""
    environment: str = ""
    repository: str = ""


class EnvironmentSettings(Section):
    """`[environments.NAME]`."""

    aliases: tuple[str, ...] = ()


class MemorySettings(Section):
    """`share_threads`: a thread is one conversation of all who write in it; `share_chats`: so is a group's main chat;
    `notes`: persons' preferences are kept; `keep_days`, `keep_mb`: how long turns are kept, 0: for ever; whatever
    their age the last ones of each conversation stay, and its summary."""

    share_threads: bool = True
    share_chats: bool = False
    notes: bool = True
    keep_days: Annotated[int, Field(ge=0)] = 180
    keep_mb: Annotated[int, Field(ge=0)] = 1000

    def sharing(self) -> Sharing:
        return Sharing(self.share_threads, self.share_chats)


class TraceSettings(Section):
    """How long runs are kept; 0: for ever."""

    keep_days: Annotated[int, Field(ge=0)] = 30
    keep_mb: Annotated[int, Field(ge=0)] = 1000


class LogSettings(Section):
    """One JSON line a decision. `level`: "info" names and figures, "debug" questions, reasons, arguments and answers as
    well; `prompts`: whole prompts and replies too; `file`: in the data directory, "" for none."""

    level: Literal["off", "info", "debug"] = "info"
    file: str = "decisions.jsonl"
    stderr: bool = False
    prompts: bool = False


class FeishuSettings(Section):
    """The bot. `domain`: the platform's address, Lark's or a private one; `owner`, `users`: who is answered, by the
    open_id of this app; `chats`: groups in which everybody is; "*" means all of them; `stale_minutes`: older messages
    are told so instead of answered; `verdict_after`: seconds after which an answer ends with a new message, 0: never;
    `quiet_chats`: where it never does; `recalled`: whether a question that is taken back is answered all the same."""

    app_id: str = ""
    app_secret: Secret | None = None
    domain: Url = "https://open.feishu.cn"
    mode: Literal["socket", "webhook"] = "socket"
    encrypt_key: Secret | None = None
    verification_token: Secret | None = None
    owner: str = ""
    users: tuple[str, ...] = ()
    chats: tuple[str, ...] = ()
    mention_all: bool = False
    stale_minutes: Seconds = 60.0
    verdict_after: Annotated[float, Field(ge=0)] = 20.0
    quiet_chats: tuple[str, ...] = ()
    recalled: Literal["answer", "stop"] = "answer"
    proxy: Proxy = ""


class ServeSettings(Section):
    """`questions` at once in this process, `per_conversation` of them in one conversation, `queue` more may wait;
    `runtime`: "local" is the only process on its database, "cluster" one of several on PostgreSQL; `drain`: seconds
    that what runs has to end after SIGTERM; `trace_token`: opens the inspector, which is off without one; `url`: where
    people reach this, for links to the inspector."""

    runtime: Literal["local", "cluster"] = "local"

    host: str = "127.0.0.1"
    port: Annotated[int, Field(ge=0, le=65535)] = 8321
    questions: Annotated[int, Field(gt=0)] = 32
    per_conversation: Annotated[int, Field(gt=0)] = 2
    queue: Annotated[int, Field(ge=0)] = 200
    drain: Annotated[float, Field(ge=0)] = 3.0
    trace_token: Annotated[Secret, AfterValidator(hard_to_guess)] | None = None
    url: Url = ""


class Settings(Section):
    """`zone` "": the machine's; `language` "auto": the question's; `uncited`: what happens to an answer that cites no
    evidence; `database_url` "": an SQLite file in `data_dir`; `channels`: those of other packages, each with the
    options it has."""

    data_dir: Path = Field(default_factory=lambda: user_data_path("hermes-ops"))
    database_url: Annotated[str, BeforeValidator(read_url)] = ""
    zone: Zone = ""
    language: Literal["auto", "zh", "en"] = "auto"
    uncited: Literal["send_back", "mark"] = "send_back"
    model: ModelSettings = ModelSettings()
    limits: Annotated[Limits, AfterValidator(_positive)] = Limits()
    budget: BudgetSettings = BudgetSettings()
    budgets: dict[str, TeamBudget] = Field(default_factory=dict)
    prices: dict[str, Price] = Field(default_factory=dict)
    memory: MemorySettings = MemorySettings()
    trace: TraceSettings = TraceSettings()
    log: LogSettings = LogSettings()
    feishu: FeishuSettings = FeishuSettings()
    channels: dict[str, Annotated[dict[str, Any], BeforeValidator(read_options)]] = Field(default_factory=dict)
    serve: ServeSettings = ServeSettings()
    sources: SourceSettings = SourceSettings()
    hooks: HookSettings = HookSettings()
    toolkit: ToolkitSettings = Field(default_factory=dict)
    team: TeamSettings = TeamSettings()
    oncall: OnCallSettings = OnCallSettings()
    report: ReportSettings = ReportSettings()
    schedules: dict[str, ScheduleSettings] = Field(default_factory=dict)
    services: dict[str, ServiceSettings] = Field(default_factory=dict)
    environments: dict[str, EnvironmentSettings] = Field(default_factory=dict)

    @model_validator(mode="before")
    @classmethod
    def _place(cls, data: dict[str, Any]) -> dict[str, Any]:
        data_dir = Path(data.get("data_dir") or user_data_path("hermes-ops")).expanduser().absolute()
        url = data.get("database_url") or f"sqlite:///{data_dir / 'hermes-ops.db'}"
        return {**data, "data_dir": data_dir, "database_url": url}

    @model_validator(mode="after")
    def _known_services(self) -> Settings:
        for name, service in self.services.items():
            if unknown := [n for n in service.depends_on if n not in self.services]:
                raise ValueError(
                    f"services.{name}.depends_on names {unknown[0]!r}, which is no [services.…] of its own"
                )
        return self

    @model_validator(mode="after")
    def _services_of_code(self) -> Settings:
        """Repositories of code are told whose they are."""
        for source in self.sources.changes.values():
            if isinstance(source, GitSettings):
                source.know({name: service.repository for name, service in self.services.items()})
        return self

    def catalogue(self) -> Catalogue:
        fields = ("aliases", "team", "depends_on", "tier", "environment")
        services = (Service(n, **{f: getattr(s, f) for f in fields}) for n, s in self.services.items())
        unnamed = (Environment(n) for n in self.sources.environments if n not in self.environments)
        named = (Environment(n, e.aliases) for n, e in self.environments.items())
        return Catalogue(tuple(services), (*named, *unnamed))

    def priced(self, endpoint: Endpoint) -> Endpoint:
        """With the price of its model's name, where it has none of its own."""
        return endpoint if endpoint.price else replace(endpoint, price=self.prices.get(endpoint.model))

    def masking_key(self) -> bytes:
        """This installation's key for masked values. Raises StoreError."""
        return masking_key(self.data_dir)
