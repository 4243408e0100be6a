"""A process of the service on a machine, forked from one that has imported everything."""

import os

from tests.forked_process import ForkedProcess, _forks, run_module
from tests.hosts.machines import Machine, enter


class MachineProcess(ForkedProcess):
    def __init__(self, machine: Machine, command: list[str], environment: dict[str, str]) -> None:
        self.args = command
        arguments = (machine.namespaces, command, environment)
        self._process = _forks.Process(target=run_there, args=arguments, daemon=False)
        self._process.start()


def run_there(namespaces: list[str], command: list[str], environment: dict[str, str]) -> None:
    os.setsid()  # so that it is killed with its children
    for namespace in namespaces:
        enter(namespace)
    run_module(command, environment)
