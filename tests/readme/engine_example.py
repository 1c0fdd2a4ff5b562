"""The example of engine/README.md: it compiles against the headers, the library and the pkg-config file as they are installed, and
prints what the README says, which is the closed form: a ball of radius 1/2 at x = 3 and a cube of edge 2 turned by 45 degrees about z."""
import math
import os
import pathlib
import re
import shlex
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
SANITIZE = {"asan": ["-fsanitize=address,undefined"], "tsan": ["-fsanitize=thread"]}.get(os.environ.get("CONTACTD_SANITIZER", ""), [])
FAILURES = []


def check(fact, *shown):
    if not fact:
        FAILURES.append(" ".join(str(s) for s in shown))


def install(prefix):
    run = subprocess.run(["make", "--no-print-directory", "install", f"PREFIX={prefix}", f"BUILD={os.environ.get('BUILD', 'build')}"], cwd=ROOT,
                         capture_output=True, text=True)
    check(run.returncode == 0, "make install fails:", run.stderr)
    check((prefix / "bin/contactd").exists(), "make install leaves no bin/contactd")


def flags(prefix):
    run = subprocess.run(["pkg-config", "--cflags", "--libs", "contact"], capture_output=True, text=True,
                         env=dict(os.environ, PKG_CONFIG_PATH=str(prefix / "lib/pkgconfig")))
    check(run.returncode == 0, "pkg-config:", run.stderr)
    return run.stdout.split()


def main():
    with tempfile.TemporaryDirectory() as folder:
        prefix = pathlib.Path(folder) / "usr"
        install(prefix)
        program = pathlib.Path(folder) / "clearance"
        source = ROOT / "engine/example/clearance.c"
        run = subprocess.run([*shlex.split(os.environ.get("CC", "cc")), "-std=c17", "-Wall", "-Wextra", "-Wpedantic", "-Werror", *SANITIZE, str(source),
                              *flags(prefix), f"-Wl,-rpath,{prefix}/lib", "-o", str(program)], capture_output=True, text=True)
        check(run.returncode == 0, "the example does not compile:", run.stderr)
        if run.returncode == 0:
            output = subprocess.run([str(program)], capture_output=True, text=True).stdout
            readme = (ROOT / "engine/README.md").read_text()
            check(output and output in readme, "engine/README.md does not show this output:", output)
            numbers = [float(n) for n in re.findall(r"-?\d+\.?\d*(?:e-?\d+)?", output)]
            truth = 3 - 0.5 - math.sqrt(2)
            check(len(numbers) == 6, "six numbers, not", numbers)
            check(all(abs(n - truth) < 1e-12 for n in numbers[:3]), "distance and bounds are not", truth, numbers[:3])
            check(abs(numbers[3] - math.sqrt(2)) < 1e-6 and abs(numbers[4]) < 1e-6, "the corner is not", math.sqrt(2), numbers[3:])
    for failure in FAILURES:
        print("FAILED", failure)
    print(f"{0 if FAILURES else 1} passed, {1 if FAILURES else 0} failed, 0 skipped")
    return bool(FAILURES)


sys.exit(main())
