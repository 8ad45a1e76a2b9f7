# SPDX-License-Identifier: BSD-2-Clause
"""What the tests that run kernels on the stock driver over the simulated device have in common."""
import json
import os
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent), str(HERE.parents[1] / "lib")]

from routes import mesa_x86  # noqa: E402
from routes.pins import DEFAULT_MESA  # noqa: E402

# What the front end sets is set here alone, so that these tests depend on the library and the driver only.
PASSED_ON = ("PATH", "HOME", "LANG", "LD_LIBRARY_PATH", "TMPDIR", "XDG_CACHE_HOME")
SKIP = 77  # meson's exit code of a test that was skipped


class Simulator:
    def __init__(self, dispatch, library, driver):
        self.dispatch, self.library, self.driver = Path(dispatch), Path(library), Path(driver)

    def environment(self, simulated: bool, **variables) -> dict:
        env = {name: os.environ[name] for name in PASSED_ON if name in os.environ}
        if simulated:
            env |= {"VK_DRIVER_FILES": str(self.driver), "VK_ICD_FILENAMES": str(self.driver),
                    "LD_PRELOAD": str(self.library), "MESA_SHADER_CACHE_DISABLE": "true"}
        else:
            env |= software_driver()
        return env | variables

    def run(self, specs: list, folder: Path, simulated: bool = True, timeout: int = 600, **variables):
        """Runs dispatches; returns the finished process."""
        name = "list-v3d.json" if simulated else "list-cpu.json"
        (folder / name).write_text("".join(json.dumps(spec) + "\n" for spec in specs))
        return subprocess.run([self.dispatch, folder / name], env=self.environment(simulated, **variables), text=True,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=timeout, check=False)


def software_driver() -> dict:
    """Environment that chooses llvmpipe alone."""
    for folder in ("/usr/share/vulkan/icd.d", "/etc/vulkan/icd.d"):
        for manifest in sorted(Path(folder).glob("lvp_icd*.json")):
            return {"VK_DRIVER_FILES": str(manifest), "VK_ICD_FILENAMES": str(manifest)}
    raise SystemExit(SKIP)


def compile_glsl(source: Path, output: Path, *defines: str) -> None:
    done = subprocess.run(["glslangValidator", "-V", "--target-env", "vulkan1.1", "-S", "comp",
                           *(f"-D{d}" for d in defines), "-o", output, source],
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
    if done.returncode:
        raise RuntimeError(f"{source}: {done.stdout}")


def add_arguments(parser) -> None:
    parser.add_argument("--dispatch", required=True, help="the v3dsim-dispatch program")
    parser.add_argument("--library", required=True, help="libv3dsim.so")
    parser.add_argument("--mesa", default=DEFAULT_MESA, help="version of the driver (default: %(default)s)")
    parser.add_argument("--driver", help="manifest (icd.json) of the driver (default: what `v3dsim setup` built)")


def simulator(args) -> Simulator:
    args.driver = args.driver or mesa_x86.icd_file(args.mesa)
    if not Path(args.driver).exists():
        needed = os.environ.get("DAEDALUS_REQUIRE_V3DSIM")
        print(f"{'failed' if needed else 'skipped'}: no driver at {args.driver} (tools/v3dsim/v3dsim setup builds it)")
        raise SystemExit(1 if needed else SKIP)
    return Simulator(args.dispatch, args.library, args.driver)
