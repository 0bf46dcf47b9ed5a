from pathlib import Path

import pytest

from benchmark.core.errors import UsageError
from benchmark.plan.panel import DEMO, Overrides, load_panel

AGENT = '[[agents]]\nname = "noop"\n'


def panel(folder: Path, text: str = "", agents: str = AGENT, **over):
    path = folder / "panel.toml"
    path.write_text(f'suite = "webdev"\n{text}\n{agents}', encoding="utf-8")
    return load_panel(path, Overrides(**over))


def refusal(folder: Path, text: str = "", agents: str = AGENT, **over) -> str:
    with pytest.raises(UsageError) as caught:
        panel(folder, text, agents, **over)
    assert "\n" not in str(caught.value)
    return str(caught.value)


@pytest.mark.parametrize("path", sorted(DEMO.parent.glob("*.toml")), ids=lambda path: path.stem)
def test_every_panel_of_the_checkout_loads(path):
    assert load_panel(path).agents


def test_what_a_panel_leaves_out_has_the_methods_defaults(tmp_path):
    made = panel(tmp_path)
    assert (made.suite, made.replicates, made.looks, made.margin_points, made.window) == ("webdev", 3, 1, 5, 48 * 3600)
    assert made.conditions == ("C0", "C1", "C2") and made.delivery == ("prompt",) and made.budget.usd is None


@pytest.mark.parametrize(("text", "seconds"), [("90m", 5400), ("1.5h", 5400), ("2d", 172800), ("0h", 0)])
def test_windows_are_durations(tmp_path, text, seconds):
    assert panel(tmp_path, f'contemporary = "{text}"').window == seconds


@pytest.mark.parametrize("text", ["48", "h", "-1h", "2 h", "2w", ""])
def test_a_window_that_is_no_duration_is_refused(tmp_path, text):
    assert "48h" in refusal(tmp_path, f'contemporary = "{text}"')


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("replicate = 3", ["replicate", "replicates"]),
        ('conditions = ["C4"]', ["C4", "C0"]),
        ('delivery = ["promt"]', ["promt", "prompt"]),
        ("replicates = 0", ["replicates", "0"]),
        ("replicates = 2.5", ["replicates", "2.5"]),
        ("looks = 0", ["looks"]),
        ("conditions = 5", ["conditions", "5"]),
        ('conditions = "C1"', ["conditions", "C1"]),
        ('skills = "css-layout"', ["skills"]),
        ("[budget]\nusd = 0", ["budget.usd"]),
        ("[budget]\neur = 1", ["budget.eur"]),
        ("x = ", ["panel.toml"]),
    ],
)
def test_faults_are_named_with_key_and_value(tmp_path, text, names):
    message = refusal(tmp_path, text)
    assert all(name in message for name in names)


@pytest.mark.parametrize(
    ("agents", "name"),
    [
        ("", "agents"),
        ("agents = []", "agents"),
        ("[[agents]]\nmodel = 'x'", "name"),
        (AGENT + "colour = 1", "colour"),
        (AGENT + "limits = { seconds = 0 }", "seconds"),
        (AGENT + AGENT, "two agents"),
    ],
)
def test_faulty_agents_are_refused(tmp_path, agents, name):
    assert name in refusal(tmp_path, agents=agents)


def test_two_agents_whose_labels_are_the_same_are_refused(tmp_path):
    agents = "".join(f'[[agents]]\nname = "web"\nmodel = "{model}"\n' for model in ("a/b", "a-b"))
    assert "web-a-b" in refusal(tmp_path, agents=agents)


def test_a_missing_panel_is_named(tmp_path):
    with pytest.raises(UsageError, match=r"no panel at .*gone\.toml"):
        load_panel(tmp_path / "gone.toml")


@pytest.mark.parametrize("data", [b"\xff\xfe", b"= 1"])
def test_a_file_that_is_no_panel_is_named(tmp_path, data):
    (tmp_path / "x.toml").write_bytes(data)
    with pytest.raises(UsageError, match=r"x\.toml"):
        load_panel(tmp_path / "x.toml")
    with pytest.raises(UsageError):
        load_panel(tmp_path)


def test_the_command_line_changes_what_it_names_and_nothing_else(tmp_path):
    text = 'replicates = 4\nseed = 9\nskills = ["a"]\nprojects = ["p"]'
    made = panel(tmp_path, text, replicates=2, conditions=("C1",), projects=("q", "r"), skills=("b",), budget_usd=7)
    assert (made.replicates, made.seed, made.conditions, made.projects) == (2, 9, ("C1",), ("q", "r"))
    assert made.skills == ("b",) and made.budget.usd == 7
    assert panel(tmp_path, text).replicates == 4


@pytest.mark.parametrize("over", [{"conditions": ("c1",)}, {"replicates": 0}, {"replicates": -1}, {"budget_usd": -1}])
def test_the_command_line_is_checked_like_the_panel(tmp_path, over):
    refusal(tmp_path, **over)


def test_an_agent_from_the_command_line_takes_the_settings_that_the_panel_has_for_it(tmp_path):
    agents = AGENT + '[[agents]]\nname = "web"\nmodel = "a/b"\nlimits = { seconds = 5 }\n'
    (agent,) = panel(tmp_path, agents=agents, model="c/d").agents
    assert (agent.name, agent.model, agent.limits.seconds) == ("web", "c/d", 5)
    (agent,) = panel(tmp_path, agents=agents, agent="reference").agents
    assert (agent.name, agent.model, agent.limits.seconds) == ("reference", None, 900)


@pytest.mark.parametrize("key", ["skills", "pool"])
def test_paths_in_a_panel_count_from_the_panel(tmp_path, monkeypatch, key):
    monkeypatch.chdir("/")
    (tmp_path / "sub").mkdir()
    made = panel(tmp_path / "sub", f'{key} = ["path:../mine"]')
    assert getattr(made, key) == (f"path:{tmp_path / 'mine'}",)


def test_a_pool_in_a_panel_is_a_folder_with_or_without_the_word(tmp_path, monkeypatch):
    monkeypatch.chdir("/")
    assert panel(tmp_path, 'pool = ["more"]').pool == (f"path:{tmp_path / 'more'}",)


@pytest.mark.parametrize("given", ["./mine", "path:mine", "path:./mine", "../{name}/mine", "{folder}/mine"])
def test_paths_on_the_command_line_count_from_here(tmp_path, monkeypatch, given):
    monkeypatch.chdir(tmp_path)
    item = given.format(name=tmp_path.name, folder=tmp_path)
    assert panel(tmp_path, skills=(item, "css-layout")).skills == (f"path:{tmp_path / 'mine'}", "css-layout")
    assert panel(tmp_path, pool=(item,)).pool == (f"path:{tmp_path / 'mine'}",)


def test_a_tilde_is_the_home_folder(tmp_path, monkeypatch):
    monkeypatch.setenv("HOME", str(tmp_path))
    assert panel(tmp_path, skills=("~/mine",)).skills == (f"path:{tmp_path / 'mine'}",)
