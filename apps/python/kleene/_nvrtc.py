"""Where NVIDIA's compiler of device code is, among wheels that pip has installed."""

from __future__ import annotations

import importlib.util
import os
import re
from functools import lru_cache
from pathlib import Path


@lru_cache(maxsize=1)
def find() -> str:
    """The newest libnvrtc.so of nvidia-cuda-nvrtc, the wheel that torch and CuPy bring; empty: the loader looks for it.

    KLEENE_NVRTC_LIBRARY, of the environment, goes before it.
    """
    found = None if os.environ.get("KLEENE_NVRTC_LIBRARY") else importlib.util.find_spec("nvidia")
    libraries = [library for folder in (found.submodule_search_locations or [] if found else [])
                 for library in Path(folder).glob("*/lib/libnvrtc.so.*")
                 if re.fullmatch(r"libnvrtc\.so\.\d+", library.name)]
    return str(max(libraries, key=lambda library: int(library.suffix[1:]))) if libraries else ""
