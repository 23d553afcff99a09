"""``gnomon power``: from switching activity to power tables. One file per command."""

from gnomon.cli._late import group
from gnomon.cli._power_activity import activity
from gnomon.cli._power_fit import fit

power_app = group("power")
power_app.command("activity")(activity)
power_app.command("fit")(fit)
