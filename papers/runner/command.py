# SPDX-License-Identifier: Apache-2.0
"""The command papers/run: options, building, runs, pages."""
import argparse
import os
import pathlib
import signal
import subprocess
import sys
import tempfile

from . import machine, page, runs
from .paper import NAMES, SOURCE, PaperError, load

BUILD = """set -euo pipefail
source scripts/setup.sh
build_packages+=(libbenchmark-dev)  # which benchmarks alone need
install_packages
configure runnable
cmake -S . -B "build/$preset" -DULPINE_BENCHMARKS=ON >/dev/null
echo "building build/$preset"
build "$@"
echo "$preset" >"$preset_file"
"""


class Parser(argparse.ArgumentParser):
    def error(self, message):
        print(f"papers/run: {message} (see papers/run --help)", file=sys.stderr)
        sys.exit(2)


def options_of(words, about):
    parser = Parser(prog="papers/run", description=about, formatter_class=argparse.RawDescriptionHelpFormatter, add_help=True, allow_abbrev=False)
    parser.add_argument("paper", choices=(*NAMES, "all"), metavar="PAPER", help=f"one of {', '.join(NAMES)}, or all")
    parser.add_argument("--device", choices=("cuda", "cpu"), help="with the GPU or on the host alone (with the GPU where there is one)")
    parser.add_argument("--quick", action="store_true", help="small sizes: all five in a quarter of an hour on two cores without a GPU, building apart")
    parser.add_argument("--out", type=pathlib.Path, default=SOURCE / "out/papers", metavar="DIR", help="folder of pages and runs (out/papers)")
    parser.add_argument("--programs", type=pathlib.Path, metavar="DIR", help="take programs from this folder and build nothing")
    parser.add_argument("--estimate", action="store_true", help="say how many runs there are and how long they take, and run nothing")
    return parser.parse_args(words)


def built(papers, store, device):
    """Builds the programs of all runs that will be made; the folder that they are in."""
    targets = sorted({"ulpine_program"}.union(*(run.targets() for paper in papers for run in paper.runs.values() if not store.why_not(run)[0])))
    with tempfile.NamedTemporaryFile("r", encoding="utf-8") as file:
        environment = dict(os.environ, preset_file=file.name, **({"ULPINE_CUDA": "OFF"} if device == "cpu" else {}))
        done = subprocess.run(["bash", "-c", BUILD, "papers/run", *targets], cwd=SOURCE, env=environment, stdout=sys.stderr, check=False)
        preset = file.read().strip()
    if done.returncode or not preset:
        raise runs.Refused("the programs were not built (the words of the build are above) mend that, or name a folder of programs with --programs")
    return SOURCE / "build" / preset / "bin"


def stop(number, _):
    raise SystemExit(128 + number)


def main(words, about):
    options = options_of(words, about)
    signal.signal(signal.SIGTERM, stop)
    signal.signal(signal.SIGINT, stop)
    here = machine.this_machine()
    try:
        if options.device == "cuda" and not here.gpu:
            raise runs.Refused("no GPU found (nvidia-smi names none) check the driver, or leave --device out")
        device = options.device or ("cuda" if here.gpu else "cpu")
        papers = [load(name, options.quick) for name in (NAMES if options.paper == "all" else (options.paper,))]
        store = runs.Store(options.out.resolve() / "runs", here, device, options.quick)
        if not here.gpu:
            runs.say("this machine has no GPU: the pages name what needs one, the rest is run on the host")
        if options.estimate:
            if options.programs:
                store.use(runs.programs_in(options.programs))
            runs.estimate(papers, store)
            return 0
        store.use(runs.programs_in(options.programs) if options.programs else built(papers, store, device))
        outcomes = runs.run_all(papers, store)
        for path in page.write(papers, outcomes, store, options.out.resolve()):
            print(path)
    except PaperError as error:
        print(f"papers/run: {error}", file=sys.stderr)
        return 2
    except runs.Refused as error:
        print(f"papers/run: {error}", file=sys.stderr)
        return 3
    except SystemExit as stopped:
        if isinstance(stopped.code, int) and stopped.code > 128:
            runs.say("papers/run: stopped; finished runs are kept, and the same command goes on")
        raise
    except OSError as error:
        print(f"papers/run: {error.filename or options.out}: {error.strerror} (nothing more can be kept there) make room, and call again: what is done stays", file=sys.stderr)
        return 3
    failed = [f"{paper} {run}" for (paper, run), outcome in outcomes.items() if outcome.failed]
    if failed:
        runs.say(f"papers/run: {len(failed)} runs failed: {', '.join(failed)} (why is said above and on the pages) the next call tries them again")
    return 1 if failed else 0
