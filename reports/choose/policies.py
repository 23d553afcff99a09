"""Policies of the study, their settings, and an estimate of their work."""

from dataclasses import dataclass

from gnomon.content.reports.learners.problems import Entry, Problem, Setting
from gnomon.measure.learners import find_embedded_learner

_FORGETTING = {0.99: 331, 0.999: 33}  # 1 / gamma - 1 in steps of 2^-15
_EPSILON = {0.01: 655, 0.05: 3277, 0.1: 6554}  # in steps of 2^-16


@dataclass(frozen=True, slots=True)
class Policy:
    """A learner with the settings that affect its cost; ``variant`` plays."""

    learner: str
    variant: str
    settings: str = ""

    @property
    def macros(self) -> tuple[tuple[str, int], ...]:
        """Settings as macros and values."""
        pairs = (each.partition("=") for each in self.settings.split())
        return tuple((name, int(value)) for name, _, value in pairs)

    def entry(self, problem: Problem, setting: Setting, variant: str = "") -> Entry:
        """Return the learner with a setting in a problem."""
        learner = find_embedded_learner(self.learner)
        return Entry(problem, learner, learner.variant(variant or self.variant, "tuned"), setting)

    def tried(self, arms: int) -> list[Setting]:
        """Return the settings from which training runs choose."""
        macros = self.macros
        if self.learner == "bento-epsilon-greedy":
            return [Setting(f"p = {each} x arms", None, (("LEARNER_P", each * arms),))
                    for each in (1, 4, 16)]  # fmt: skip
        if self.learner == "ares":
            return [Setting("", None, macros)]
        if self.learner == "lin-sgd":
            return [Setting(f"ε = {share:g}", None, (("LEARNER_EPSILON", steps),))
                    for share, steps in _EPSILON.items()]  # fmt: skip
        if self.learner == "linucb-discounted":
            return [
                Setting(f"α = {alpha:g}, γ = {gamma:g}", alpha, (("LEARNER_FORGETTING", steps),))  # noqa: RUF001 - as in the papers
                for gamma, steps in _FORGETTING.items()
                for alpha in (0.2, 0.8)
            ]
        if self.learner == "ek-ucb":
            return [
                Setting(f"λ = 1, width = {(0.5 / inverse) ** 0.5:.2g}, β = {beta:g}", beta,
                         (("LEARNER_INVERSE_WIDTH", inverse), ("LEARNER_RIDGE", 1)))
                for inverse in (1, 5)
                for beta in (0.1, 0.5)
            ]  # fmt: skip
        symbol = "β" if self.learner == "softucb" else "α"  # noqa: RUF001 - alpha, as in the papers
        return [Setting(f"{symbol} = {each:g}", each, macros) for each in (0.05, 0.2, 0.8)]

    def setting(self, title: str, arms: int) -> Setting:
        """Return the setting with a title among those that are tried."""
        return next(each for each in self.tried(arms) if each.title == title)

    def work(self, d: int, arms: int) -> float:
        """Return about how many multiplications a round takes on the host."""
        n = 1 + d * sum(value for name, value in self.macros if "WINDOW" in name)
        return float(
            {
                "linucb-disjoint": arms * d * d / 2 + 2 * d * d,
                "linucb-window": arms * n * n / 2 + 2 * n * n,
                "linucb-hybrid": 2.0 * (d * arms) ** 2,
                "bento-epsilon-greedy": arms * d + d * d,
                "softucb": 60.0 * arms,
                "ares": n**3 / 3 + 2 * arms * n * n,
                "ek-ucb": arms * 32 * (d + 48),
                "linucb-diagonal": 2 * arms * d + 4 * d,
                "linucb-discounted": arms * d * d / 2 + 3 * d * d,
                "lin-sgd": arms * d + 4 * d,
            }[self.learner]
            + 20 * (d + arms)
        )


POLICIES = (
    Policy("linucb-disjoint", "optimized"),
    Policy("linucb-window", "optimized", "LEARNER_WINDOW=2"),
    Policy("linucb-window", "optimized", "LEARNER_WINDOW=3"),
    Policy("linucb-hybrid", "optimized"),
    Policy("bento-epsilon-greedy", "optimized"),
    Policy("softucb", "optimized"),
    Policy("ares", "standard", "LEARNER_WINDOWS=2"),
    Policy("ek-ucb", "optimized"),
    Policy("linucb-diagonal", "standard"),
    Policy("linucb-discounted", "optimized"),
    Policy("lin-sgd", "standard"),
)
