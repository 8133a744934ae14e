"""Settings: file below environment, secrets only by reference, and a sentence for every mistake."""

from __future__ import annotations

import stat
import subprocess
import sys
from pathlib import Path

import pytest

from hermes_ops.loading import load
from hermes_ops.settings import Settings
from hermes_ops.zones import find_zone, machine_zone
from orchestrator.errors import ConfigError, StoreError
from orchestrator.ports import Limits


class Home:
    """A machine with one settings file and one set of variables."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.file = path / "hermes.toml"

    def load(self, toml: str = "", **env: str) -> Settings:
        self.file.write_text(toml, encoding="utf-8")
        return load({"HERMES_OPS_CONFIG": str(self.file), "HERMES_OPS_DATA_DIR": str(self.path / "data"), **env})

    def refusal(self, toml: str = "", **env: str) -> str:
        with pytest.raises(ConfigError) as caught:
            self.load(toml, **env)
        return str(caught.value)


@pytest.fixture
def home(tmp_path: Path) -> Home:
    return Home(tmp_path)


def test_nothing_said_is_fine(home: Home) -> None:
    settings = home.load()
    assert settings.limits == Limits()
    assert settings.model.endpoints() == ()
    assert settings.model.light_endpoint() is None
    assert settings.uncited == "send_back"
    assert settings.database_url == f"sqlite:///{home.path}/data/hermes-ops.db"


def test_defaults_without_a_file_follow_the_platform(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    assert load({}).data_dir == tmp_path / "data" / "hermes-ops"
    (tmp_path / "config" / "hermes-ops").mkdir(parents=True)
    (tmp_path / "config" / "hermes-ops" / "config.toml").write_text("[limits]\nparallel = 5\n")
    assert load({}).limits.parallel == 5


def test_environment_wins_over_the_file(home: Home) -> None:
    toml = '[model]\nmodel = "file"\nbase_url = "http://file/v1"\ntemperature = 0.1\n[limits]\nparallel = 2\n'
    settings = home.load(
        toml,
        HERMES_OPS_MODEL="env",
        HERMES_OPS_MODEL__TEMPERATURE="0.7",
        HERMES_OPS_MODEL__EXTRA_BODY='{"top_p": 0.5}',
        HERMES_OPS_LIMITS__QUESTION_HARD="900",
    )
    (endpoint,) = settings.model.endpoints()
    assert (endpoint.model, endpoint.base_url, endpoint.temperature) == ("env", "http://file/v1", 0.7)
    assert endpoint.extra_body == {"top_p": 0.5}
    assert (settings.limits.parallel, settings.limits.question_hard) == (2, 900.0)


def test_short_variables_and_those_of_openai(home: Home) -> None:
    theirs = {"OPENAI_API_KEY": "theirs", "OPENAI_BASE_URL": "http://theirs/v1"}
    (endpoint,) = home.load(HERMES_OPS_MODEL="m", **theirs).model.endpoints()
    assert (endpoint.api_key, endpoint.base_url) == ("theirs", "http://theirs/v1")
    ours = {"HERMES_OPS_API_KEY": "ours", "HERMES_OPS_BASE_URL": "http://ours/v1"}
    (endpoint,) = home.load(HERMES_OPS_MODEL="m", **theirs, **ours).model.endpoints()
    assert (endpoint.api_key, endpoint.base_url) == ("ours", "http://ours/v1")
    (endpoint,) = home.load('[model]\nmodel="m"\nbase_url="http://file/v1"', **theirs).model.endpoints()
    assert endpoint.base_url == "http://file/v1"


def test_empty_variables_are_not_set(home: Home) -> None:
    assert home.load('[model]\nmodel = "m"\n', HERMES_OPS_MODEL="").model.model == "m"


def test_secrets_by_reference(home: Home) -> None:
    (home.path / "key").write_text("from-file\n")
    for reference in ('{ env = "MY_KEY" }', '{ file = "key" }', f'{{ file = "{home.path}/key" }}'):
        settings = home.load(f'[model]\nmodel = "m"\napi_key = {reference}\n', MY_KEY="from-env")
        assert settings.model.endpoints()[0].api_key in ("from-env", "from-file")
        assert "from-" not in repr(settings)
    url = home.load('database_url = { env = "DB" }\n', DB="postgresql://a:b@h/d").database_url
    assert url == "postgresql://a:b@h/d"


@pytest.mark.parametrize(
    ("toml", "words"),
    [
        ('[model]\napi_key = "sk-literal"\n', ["model.api_key", "must not be written out", "{ env ="]),
        ('[[model.fallbacks]]\napi_key = "sk-literal"\n', ["model.fallbacks.0.api_key", "must not be written out"]),
        ('database_url = "postgresql://a:sk-literal@h/d"\n', ["database_url", "holds a password"]),
        ('[model]\napi_key = { env = "NOT_SET" }\n', ["model.api_key", "NOT_SET", "not set"]),
        ('[model]\napi_key = { file = "gone" }\n', ["model.api_key", "gone", "No such file"]),
        ('[model]\napi_key = { vault = "x" }\n', ["model.api_key", "{ env ="]),
    ],
)
def test_secrets_that_are_refused(home: Home, toml: str, words: list[str]) -> None:
    said = home.refusal(toml)
    assert "sk-literal" not in said
    for word in [str(home.file), *words]:
        assert word in said


@pytest.mark.parametrize(
    ("toml", "words"),
    [
        ("[model]\ntemprature = 1\n", ["'model.temprature' is unknown", "'temperature'", "Valid:", "base_url"]),
        ("[limit]\n", ["'limit' is unknown", "'limits'"]),
        ("[limits]\nparalel = 2\n", ["'limits.paralel' is unknown", "'parallel'", "supervisor_steps"]),
        ('[services.checkout]\nalias = ["a"]\n', ["'services.checkout.alias' is unknown", "'aliases'", "depends_on"]),
        ('[[model.fallbacks]]\nmodell = "x"\n', ["'model.fallbacks.0.modell' is unknown", "'model'"]),
        ("[limits]\nparallel = 'x'\n", ["limits.parallel", "must be a valid integer"]),
        ("[limits]\nparallel = 0\n", ["parallel must be more than 0"]),
        ("[limits]\nquestion_soft = 400\n", ["question_soft must not be more than question_hard"]),
        ("[model]\ntemperature = 5\n", ["model.temperature", "less than or equal to 2"]),
        ('[model]\nprofile = "gpt"\n', ["model.profile must be one of", "vllm"]),
        ('[model]\nbase_url = "localhost:80"\n', ["model.base_url", "http://"]),
        ('[model]\ntools = "both"\n', ["model.tools", "'native' or 'text'"]),
        ('zone = "Asia/Shangai"\n', ["zone", "Asia/Shanghai"]),
        ('uncited = "ignore"\n', ["uncited", "'send_back' or 'mark'"]),
        ('[services.a]\ndepends_on = ["b"]\n', ["services.a.depends_on", "'b'"]),
        ('zone = "Asia/Beijing"\n', ["line 1: zone: There is no time zone", "Asia/Shanghai. Use an IANA name."]),
        ('[sources.alerts.p]\nkind = "prometheus"\n', ["sources.alerts.p.url is needed."]),
        ("x = \n", ["no valid TOML", "line 1"]),
    ],
)
def test_mistakes_in_the_file_are_named(home: Home, toml: str, words: list[str]) -> None:
    said = home.refusal(toml)
    assert "Value error" not in said
    assert ".." not in said
    for word in [str(home.file), *words]:
        assert word in said


@pytest.mark.parametrize(
    ("name", "value", "words"),
    [
        ("HERMES_OPS_MODLE", "x", ["HERMES_OPS_MODLE is unknown", "'HERMES_OPS_MODEL'", "HERMES_OPS_API_KEY"]),
        ("HERMES_OPS_MODEL__TEMPRATURE", "1", ["HERMES_OPS_MODEL__TEMPRATURE", "'temperature'"]),
        ("HERMES_OPS_LIMITS__PARALLEL", "x", ["HERMES_OPS_LIMITS__PARALLEL", "valid integer"]),
        ("HERMES_OPS_MODEL__EXTRA_BODY", "{x", ["HERMES_OPS_MODEL__EXTRA_BODY", "no valid JSON"]),
        ("HERMES_OPS_ZONE", "Mars", ["HERMES_OPS_ZONE", "no time zone"]),
        ("HERMES_OPS_CONFIG", "/nowhere/x.toml", ["/nowhere/x.toml", "No such file"]),
    ],
)
def test_mistakes_in_the_environment_are_named(home: Home, name: str, value: str, words: list[str]) -> None:
    said = home.refusal(**{name: value})
    for word in words:
        assert word in said


def test_every_mistake_is_said_at_once(home: Home) -> None:
    assert len(home.refusal("wat = 1\n[model]\ntemprature = 1\n[limits]\nparallel = 'x'\n").splitlines()) == 3


def test_fallbacks_fill_up_from_the_first_model_but_keys_stay_with_their_server(home: Home) -> None:
    settings = home.load(
        '[model]\nmodel = "a"\nbase_url = "http://one/v1"\napi_key = { env = "K" }\ntimeout = 9\n'
        '[[model.fallbacks]]\nmodel = "b"\n'
        '[[model.fallbacks]]\nmodel = "c"\nbase_url = "http://two/v1"\n'
        '[model.light]\nmodel = "d"\ntimeout = 3\n',
        K="secret",
    )
    a, b, c = settings.model.endpoints()
    light = settings.model.light_endpoint()
    assert light is not None
    assert [(e.model, e.base_url, e.api_key, e.timeout) for e in (a, b, c, light)] == [
        ("a", "http://one/v1", "secret", 9.0),
        ("b", "http://one/v1", "secret", 9.0),
        ("c", "http://two/v1", "", 60.0),
        ("d", "http://one/v1", "secret", 3.0),
    ]


def test_the_catalogue_is_made_of_services_and_environments(home: Home) -> None:
    toml = (
        '[services.checkout]\naliases = ["结算"]\nteam = "pay"\ndepends_on = ["payment"]\nrepository = "org/checkout"\n'
        '[services.payment]\n[environments.prod-sh]\naliases = ["生产"]\n'
    )
    catalogue = home.load(toml).catalogue()
    checkout, payment = catalogue.services
    assert (checkout.name, checkout.aliases, checkout.depends_on) == ("checkout", ("结算",), ("payment",))
    assert payment.name == "payment"
    assert catalogue.environments[0].aliases == ("生产",)


def test_the_masking_key_is_made_once_and_is_private(home: Home) -> None:
    settings = home.load()
    key = settings.masking_key()
    path = settings.data_dir / "masking.key"
    assert len(key) == 32
    assert home.load().masking_key() == key
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert [p.name for p in settings.data_dir.iterdir()] == ["masking.key"]


def test_a_masking_key_for_two_processes_at_once(home: Home) -> None:
    code = "import sys; from pathlib import Path; from hermes_ops.keys import masking_key; "
    code += "print(masking_key(Path(sys.argv[1])).hex())"
    command = [sys.executable, "-c", code, str(home.path / "new")]
    processes = [subprocess.Popen(command, stdout=subprocess.PIPE, text=True) for _ in range(3)]
    assert len({p.communicate()[0] for p in processes}) == 1


def test_a_damaged_or_unreachable_masking_key(home: Home) -> None:
    settings = home.load()
    settings.data_dir.mkdir()
    (settings.data_dir / "masking.key").write_bytes(b"short")
    with pytest.raises(StoreError, match="damaged"):
        settings.masking_key()
    (home.path / "file").write_text("")
    with pytest.raises(StoreError, match="HERMES_OPS_DATA_DIR"):
        home.load(HERMES_OPS_DATA_DIR=str(home.path / "file")).masking_key()


@pytest.mark.parametrize(
    "name", ["shanghai", "Beijing", "Asia/Shangai", "PRC/Shanghai", "asia/shanghai", "ASIA/SHANGHAI"]
)
def test_zones_near_a_wrong_name(name: str) -> None:
    with pytest.raises(ConfigError, match="Asia/Shanghai"):
        find_zone(name)


def test_the_machine_has_a_zone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TZ", ":Asia/Shanghai")
    assert machine_zone() == "Asia/Shanghai"
    monkeypatch.setenv("TZ", "no/zone")
    find_zone(machine_zone())


def test_a_channels_options_are_its_own_and_references_in_them_are_secrets(home: Home) -> None:
    toml = '[channels.mychat]\nurl = "https://chat"\nusers = ["u1"]\ntoken = { env = "T" }\n'
    options = home.load(toml, T="secret").channels["mychat"]
    assert (options["url"], options["users"]) == ("https://chat", ["u1"])
    assert options["token"].get_secret_value() == "secret"
    assert "secret" not in repr(options)
    assert "refers to the variable T" in home.refusal(toml)
