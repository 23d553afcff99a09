"""Calls of functions on the workers of a Dask scheduler.

Dask is imported when a cluster is used. The scheduler gives the calls of a lost worker to others.
"""

import importlib
import logging
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import CancelledError
from typing import Any

from gnomon.base.errors import GnomonError


class Cluster:
    """Workers of a Dask scheduler; each calls one function at a time."""

    def __init__(self, address: str, *, timeout_s: float = 10) -> None:
        """Connect to a scheduler.

        Raises:
            GnomonError: if Dask is missing, no scheduler answers, or it has no workers.
        """
        try:
            self._distributed: Any = importlib.import_module("distributed")
        except ImportError:
            raise GnomonError(
                "--cluster needs Dask: python -m pip install 'gnomon[cluster]'"
            ) from None
        # The errors raised here include the log messages on a lost connection.
        for name in [each for each in logging.root.manager.loggerDict if "distributed" in each]:
            logging.getLogger(name).setLevel(logging.CRITICAL + 1)
        self._address = address
        try:
            self._client = self._distributed.Client(
                address, timeout=timeout_s, set_as_default=False
            )
        except (OSError, ValueError, TimeoutError) as error:
            detail = " ".join(str(error).split()) or type(error).__name__
            raise GnomonError(
                f"--cluster {address}: no scheduler answers there ({detail}); start one with"
                " `dask scheduler` and pass its address, such as tcp://host:8786"
            ) from None
        self.workers = len(self._client.scheduler_info(n_workers=-1)["workers"])
        if not self.workers:
            self.close()
            raise GnomonError(
                f"--cluster {address}: the scheduler has no workers; start some with"
                f" `dask worker {address} --nthreads 1`"
            )

    def close(self) -> None:
        """Disconnect; the cluster continues to run."""
        self._client.close()

    def run(
        self, function: Callable[..., Any], calls: Sequence[tuple[Any, ...]], *, resume: str
    ) -> Iterator[tuple[int, Any]]:
        """Call a function on the workers; yield the number of each call with its result.

        Results arrive in any order. A result is None if several workers died in the call.

        Args:
            function: function of a module that the workers can import.
            calls: its arguments.
            resume: advice for the message on a lost connection.

        Raises:
            GnomonError: if the function raises it, the connection is lost, or the workers cannot
                import the function.
        """
        killed: type[Exception] = self._distributed.scheduler.KilledWorker
        futures = {
            self._client.submit(_call, function, *call, pure=False): number
            for number, call in enumerate(calls)
        }
        try:
            for future in self._distributed.as_completed(list(futures), loop=self._client.loop):
                number = futures.pop(future)
                try:
                    found = future.result()
                except ModuleNotFoundError as error:
                    raise GnomonError(
                        f"the workers of the cluster lack {error.name}; install the same version"
                        " of gnomon on their hosts"
                    ) from None
                except (OSError, CancelledError) as error:
                    raise GnomonError(
                        f"--cluster {self._address}: connection to the cluster lost"
                        f" ({type(error).__name__}); {resume}"
                    ) from None
                except killed:
                    found = None
                yield number, found
                future.release()
        finally:
            for future in futures:
                future.cancel()


def _call(function: Callable[..., Any], *arguments: Any) -> Any:
    """Call a function in a worker.

    Raises:
        GnomonError: if other threads of the worker may call one at the same time.
    """
    worker: Any = importlib.import_module("distributed").get_worker()
    threads = worker.state.nthreads
    if threads != 1:
        raise GnomonError(
            f"the worker {worker.address} of the cluster has {threads} threads, and runs of gnomon"
            " need a process each: start it with `dask worker ADDRESS --nworkers N --nthreads 1`"
        )
    return function(*arguments)
