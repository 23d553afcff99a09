"""``gnomon experiment``: studies with learners, each a folder that is found."""

from gnomon.cli._late import group
from gnomon.cli._studies import Studies

experiment_app = group("experiment", Studies)
