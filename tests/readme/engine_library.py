"""libcontact as a user gets it: installed by `make install DESTDIR=...`, found by pkg-config, linked as a static and
as a shared library.
Every example of engine/example is built with all warnings as errors and run. It compares its result with a closed
form and reports agreement by its exit status. Under a sanitizer there is no shared library, and only the C examples
are built. CONTACTD_FULL=1 compiles each public header alone, as C17 and as C++17, with gcc and clang."""
import os
import pathlib
import re
import shlex
import subprocess
import tempfile

from support.checks import Suite, check, equal
from support.text import blocks_of

ROOT = pathlib.Path(__file__).resolve().parents[2]
BUILD = os.environ.get("BUILD", "build")
SANITIZE = {"asan": ["-fsanitize=address,undefined"], "tsan": ["-fsanitize=thread"]}.get(os.environ.get("CONTACTD_SANITIZER", ""), [])
STRICT = ["-Wall", "-Wextra", "-Wpedantic", "-Werror"]
C = [*shlex.split(os.environ.get("CC", "cc")), "-std=c17", *STRICT, *SANITIZE]
PREFIX = "/usr/local"

suite = Suite()
folder = tempfile.TemporaryDirectory(prefix="contactd-")
suite.cleanup(folder.cleanup)
tree = pathlib.Path(folder.name) / "tree"
installed = tree / PREFIX.lstrip("/")
environment = dict(os.environ, PKG_CONFIG_SYSROOT_DIR=str(tree), PKG_CONFIG_PATH=str(installed / "lib/pkgconfig"),
                   LD_LIBRARY_PATH=str(installed / "lib"))


def run(*command, **options):
    return subprocess.run([str(word) for word in command], capture_output=True, text=True, env=environment, **options)


def pkg_config(*options):
    done = run("pkg-config", *options, "contact")
    check(done.returncode == 0, f"pkg-config {' '.join(options)}: {done.stderr}")
    return done.stdout.split()


def build(compiler, source, static):
    """The program of an example; a static one links the archive, as pkg-config names it."""
    program = pathlib.Path(folder.name) / f"{source.stem}-{'static' if static else 'shared'}-{compiler[0]}"
    library = [*pkg_config("--cflags"), *pkg_config("--variable=archive"), "-lm"] if static else pkg_config("--cflags", "--libs")
    done = run(*compiler, source, *library, "-o", program)
    check(done.returncode == 0, f"{source.name} does not compile with {compiler[0]}: {done.stderr}")
    needed = run("readelf", "-d", program).stdout
    equal("libcontact.so.0" in needed, not static, f"{program.name} needs libcontact.so.0:")
    return program


def output_of(*command):
    done = run(*command)
    check(done.returncode == 0, f"exit status {done.returncode}: {done.stdout} {done.stderr}")
    check("closed form" in done.stdout, f"shows no closed form: {done.stdout}")
    return done.stdout


@suite.fact
def make_install_leaves_program_libraries_headers_and_pkg_config_file():
    done = run("make", "--no-print-directory", "install", f"DESTDIR={tree}", f"PREFIX={PREFIX}", f"BUILD={BUILD}",
               f"RELEASE_BUILD={BUILD}", "RELEASE_OPTIONS=", cwd=ROOT)
    check(done.returncode == 0, f"make install: {done.stderr}")
    files = {str(path.relative_to(installed)) for path in installed.rglob("*") if not path.is_dir()}
    headers = {f"include/contact/{path.name}" for path in (ROOT / "engine/include/contact").glob("*.h")}
    version = pkg_config("--modversion")[0]
    shared = set() if SANITIZE else {"lib/libcontact.so", "lib/libcontact.so.0", f"lib/libcontact.so.{version}"}
    equal(files, headers | shared | {"bin/contactd", "lib/libcontact.a", "lib/pkgconfig/contact.pc"}, "what is installed")
    if shared:
        equal((installed / "lib/libcontact.so").resolve().name, f"libcontact.so.{version}", "what libcontact.so leads to")


examples = sorted((ROOT / "engine/example").glob("*.c"))
suite.table("C", ((f"{source.name}, {'static' if static else 'shared'}", lambda s=source, t=static: output_of(build(C, s, t)))
                  for source in examples for static in ([True] if SANITIZE else [False, True])))

if not SANITIZE:
    suite.table("C++", ((f"{source.name}, {compiler}, {'static' if static else 'shared'}",
                         lambda s=source, c=compiler, t=static: output_of(build([c, "-std=c++17", *STRICT], s, t)))
                        for source in sorted((ROOT / "engine/example").glob("*.cpp")) for compiler in ("g++", "clang++") for static in (False, True)))
    suite.table("Python", ((source.name, lambda s=source: output_of("/usr/bin/python3", s))
                           for source in sorted((ROOT / "engine/example").glob("*.py"))))


@suite.fact
def the_readme_shows_the_output_of_the_first_example():
    readme = (ROOT / "engine/README.md").read_text()
    output = output_of(build(C, ROOT / "engine/example/clearance.c", bool(SANITIZE)))
    check(output in readme, f"engine/README.md does not show this output: {output}")


@suite.fact
def the_readme_lists_every_example():
    readme = (ROOT / "engine/README.md").read_text()
    names = [path.name for path in (ROOT / "engine/example").iterdir() if path.is_file()]
    equal([name for name in names if f"`{name}`" not in readme], [], "examples that engine/README.md does not list")
    check(len(examples) >= 8, f"only {len(examples)} examples in C")


# ---- a page for each header ----

headers = sorted((ROOT / "engine/include/contact").glob("*.h"))
# Variables that the examples of the pages use without defining them.
GIVEN = ("ct_workspace *workspace, ct_arena *arena, const ct_scene *scene, ct_placed a, ct_placed b, ct_moving_body mover_a, ct_moving_body mover_b, "
         "ct_row_motion moving, ct_contact_set set, const ct_mechanics *mechanics, ct_distance_sink on_distance, ct_probe_sink on_probe_hit, "
         "ct_motion_sink on_motion_hit")


@suite.fact
def every_header_has_a_page_with_all_of_its_functions():
    pages = {path.stem: path.read_text() for path in (ROOT / "engine/reference").glob("*.md") if path.stem != "README"}
    equal(sorted(pages), [header.stem for header in headers], "pages of engine/reference")
    declared = {header.stem: set(re.findall(r"^[\w ]+[ *](ct_\w+)\(", re.sub(r"/\*.*?\*/|^typedef.*$", "", header.read_text(), flags=re.S | re.M),
                                            re.M)) for header in headers}
    for name, functions in declared.items():
        shown = set(re.findall(r"`(ct_\w+)`", pages[name]))
        equal(sorted(functions - shown), [], f"functions that {name}.md lacks")
        known = {function for all_of_one in declared.values() for function in all_of_one}
        types = set(re.findall(r"\bct_\w+", "".join(header.read_text() for header in headers)))
        equal(sorted(shown - known - types), [], f"names in {name}.md that no header has")


@suite.fact
def the_examples_of_the_pages_compile():
    pages = sorted((ROOT / "engine/reference").glob("*.md"))
    blocks = [(page, block) for page in pages for block in blocks_of(page.relative_to(ROOT)) if block.language == "c"]
    equal(sorted({page.stem for page, unused in blocks}), [header.stem for header in headers], "pages that have an example")
    code = "#include <contact/contact.h>\n#include <stdio.h>\n" + "".join(
        f'void example_of_{page.stem}_{block.line}({GIVEN});\nvoid example_of_{page.stem}_{block.line}({GIVEN}) {{\n#line {block.line} "{page.name}"\n{block.text}}}\n'
        for page, block in blocks)
    done = run("gcc", "-std=c17", *STRICT, "-Wno-unused", "-fsyntax-only", f"-I{ROOT}/engine/include", "-x", "c", "-", input=code)
    equal(done.stderr, "", "what the compiler says")


if os.environ.get("CONTACTD_FULL"):
    suite.table("alone", ((f"{header.name}, {compiler}",
                           lambda h=header, c=compiler, w=language: equal(
                               run(c, f"-std={w}17", "-x", w, *STRICT, "-fsyntax-only", f"-I{ROOT}/engine/include", "-include", h, "-",
                                   input="extern int header_alone;\n").stderr, "", "what the compiler says"))
                          for header in headers
                          for compiler, language in (("gcc", "c"), ("clang", "c"), ("g++", "c++"), ("clang++", "c++"))))

suite.main()
