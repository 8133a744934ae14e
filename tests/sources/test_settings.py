"""The settings of live sources: a sentence with line, key and what is valid for every mistake; secrets by reference."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.test_settings import Home


@pytest.fixture
def home(tmp_path: Path) -> Home:
    return Home(tmp_path)


BAD_SOURCES = """
zone = "UTC"

[sources.alerts.prod]
kind = "promethus"
url = "http://x"

[sources.alerts.two]
kind = "alertmanager"
urll = "x"
url = "http://user:pw@x"
token = "abc"

[sources.alerts.three]
url = "http://x"
"""


def test_a_source_names_line_key_and_what_is_valid(home: Home) -> None:
    said = home.refusal(BAD_SOURCES).splitlines()
    assert any(
        "line 4: sources.alerts.prod: the kind 'promethus' is unknown. Did you mean 'prometheus'?" in s for s in said
    )
    assert any(
        "line 10: the key 'sources.alerts.two.urll' is unknown. Did you mean 'url'? Valid: ca, " in s for s in said
    )
    assert any("line 11: sources.alerts.two.url holds a user or password" in s for s in said)
    assert any("line 12: sources.alerts.two.token must not be written out here" in s for s in said)
    assert any("line 14: sources.alerts.three: needs its kind. Valid: alertmanager, prometheus, " in s for s in said)
    assert "pw" not in "".join(said).replace("password", "")
    assert "abc" not in "".join(said)


@pytest.mark.parametrize(
    ("keys", "said"),
    [
        ('url = "http://x"\ntimeout = 300', "timeout must be less than or equal to 25"),
        ('url = "ftp://x"', "must be an address that begins with http"),
        ('url = ""', "url is needed"),
        ('url = "http://x/api/v1/"', "url ends in the API's path: leave out /api/v1/"),
        ('url = "http://x"\n[sources.alerts.prod.sli]\nbad_query = "x"', "needs total_query and bad_query together"),
        ('url = "http://x"\nuser = "a"', "needs user and password together"),
        ('url = "http://x"\nca = "no.pem"', "which isn't there"),
        ('url = "http://x"\nlink = "http://c/{qery}"', "asks for {qery}, which there is not; there are {query}"),
        ('url = "http://x"\nzone = "Mars/Base"', "zone"),
        ('url = "http://x"\n[sources.alerts.prod.sli]\nobjective = 100', "sli.objective must be less than 100"),
    ],
)
def test_wrong_values_of_a_source(home: Home, keys: str, said: str) -> None:
    assert said in home.refusal(f'[sources.alerts.prod]\nkind = "prometheus"\n{keys}\n')


def test_a_source_as_it_is_meant(home: Home) -> None:
    (home.path / "t").write_text("from-file\n")
    table = '[sources.alerts.prod]\nkind = "prometheus"\nurl = "http://p:9090"\n'
    given = home.load(f'{table}token = {{ file = "t" }}\nheaders = {{ X-Scope-OrgID = {{ env = "ORG" }} }}\n', ORG="9")
    ((domain, name, source),) = given.sources.live()
    assert (domain, name) == ("alerts", "prod")
    site = source.site(name)
    assert site.headers == {"X-Scope-OrgID": "9", "Authorization": "Bearer from-file"}
    assert "from-file" not in repr(given)
    assert "from-file" not in repr(site)
    assert site.allows("http://p:9090/x")
    assert not site.allows("http://other:9090/x")
    bad = home.refusal('[sources.alerts."a b"]\nkind = "alertmanager"\nurl = "http://x"\n')
    assert "a source named 'a b': use letters" in bad


def test_an_environment_of_a_source_is_known(home: Home) -> None:
    table = '[sources.alerts.{0}]\nkind = "prometheus"\nurl = "http://p"\nenvironment = "{0}"\n'
    catalogue = home.load(table.format("prod") + table.format("staging")).catalogue()
    assert [e.name for e in catalogue.environments] == ["prod", "staging"]
