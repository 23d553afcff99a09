"""gnomon: what an embedded learning algorithm costs on hardware that is not built yet."""

__version__ = "0.1.0"
