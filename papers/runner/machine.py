# SPDX-License-Identifier: Apache-2.0
"""What this machine has: processor, memory, GPU, and bandwidths of cards as devices/*.toml state them."""
import dataclasses
import os
import re
import subprocess
import tomllib

from .paper import SOURCE


@dataclasses.dataclass
class Machine:
    processor: str
    cores: int
    gib: float  # memory that is free
    gpu: str = ""  # its name; empty where there is none
    gpu_gib: float = 0.0
    gpus: int = 0

    def name(self, device):
        """What tells this machine from others for a run on that device; free memory changes from call to call."""
        return f"{self.processor}, {self.cores} threads" + (f", {self.gpu}" if self.gpu and device != "cpu" else "")


def this_machine():
    with open("/proc/cpuinfo", encoding="utf-8", errors="replace") as file:
        model = re.search(r"^model name\s*:\s*(.+)$", file.read(), re.M)
    with open("/proc/meminfo", encoding="utf-8") as file:
        free = re.search(r"^MemAvailable:\s*(\d+)", file.read(), re.M)
    gpu, gpu_gib, gpus = "", 0.0, 0
    try:
        said = subprocess.run(["nvidia-smi", "--query-gpu=name,memory.total", "--format=csv,noheader,nounits"], capture_output=True, text=True, check=False, timeout=30)
        found = re.findall(r"^(.+?),\s*(\d+)\s*$", said.stdout, re.M) if said.returncode == 0 else []
        if found:
            gpu, gpu_gib, gpus = found[0][0], int(found[0][1]) / 1024, len(found)
    except (OSError, subprocess.TimeoutExpired):
        pass
    return Machine(model[1].strip() if model else "unknown processor", len(os.sched_getaffinity(0)), int(free[1]) / 2**20 if free else 0.0, gpu, gpu_gib, gpus)


def cards(folder=SOURCE / "devices"):
    """{name of the file: (name of the card, its memory's bytes a second)}."""
    found = {}
    for path in sorted(folder.glob("*.toml")):
        table = tomllib.loads(path.read_text(encoding="utf-8"))
        if "memory" in table and "name" in table:
            found[path.stem] = (table["name"], table["memory"]["bandwidth"]["value"])
    return found


def card_of(name, known):
    """Which of the known cards the driver's name means; empty where none: all parts of the file's name are in it, and of several the one with most."""
    words = name.lower().replace("-", " ")
    fits = [stem for stem in known if all(re.search(rf"(?<![a-z0-9]){part}(?![0-9])", words) for part in stem.split("_"))]
    return max(fits, key=len, default="")
