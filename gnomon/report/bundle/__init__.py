"""Bundle: inputs, versions and results in one file, which another machine reruns and compares."""

from gnomon.report.bundle._archive import read_bundle
from gnomon.report.bundle._make import make_bundle
from gnomon.report.bundle._verify import BundleCheck, verify_bundle

__all__ = ["BundleCheck", "make_bundle", "read_bundle", "verify_bundle"]
