from __future__ import annotations

from typing import Any

import pytest
import verifiers.v1 as vf

TASKSET_ID = "formally-verified-c"


@pytest.fixture
def tasks() -> Any:
    """Builds the tasks of a taskset configuration, as the framework's loaders do."""

    def tasks(**options: Any) -> list[vf.Task]:
        config = vf.resolve_env_config({"taskset": {"id": TASKSET_ID, **options}})
        return list(vf.load_environment(config).taskset)

    return tasks
