#!/usr/bin/python3
"""Proves the layering on the compiled objects: server -> api -> engine, and the order of the folders inside each of the three.

Reads the undefined symbols of every object (nm) and the includes of every source. UPWARD lists the permitted exceptions; one that is no
longer needed fails, too. Prints each fault, then "N passed, N failed, N skipped", one count per object or source.
"""
import pathlib
import re
import subprocess
import sys

BUILD = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else "build")

# External symbols that an object of the engine may use: libc's memory and string functions, exact libm functions.
ENGINE_LIBC = {
    "malloc", "calloc", "realloc", "free", "aligned_alloc", "memcpy", "memmove", "memset", "memcmp", "strlen", "strcmp",
    "strncmp", "qsort", "sqrt", "fabs", "floor", "ceil", "frexp", "ldexp", "nextafter", "fmax", "fmin", "copysign", "trunc",
    "scalbn", "ilogb", "logb", "__assert_fail", "abort", "isfinite", "rint", "nearbyint",
}
TOOLCHAIN = re.compile(r"^(__stack_chk_fail|_GLOBAL_OFFSET_TABLE_|__[a-z]+_chk|__(asan|ubsan|tsan|sanitizer|gcov|llvm)_.*|_?_?memset_chk)$")
FORBIDDEN_API = re.compile(r"^(MHD_|uv_|pthread_|socket$|bind$|listen$|accept|connect$|send|recv|poll$|epoll|open$|fopen|thrd_|mtx_|getenv|system$|exit$)")
# The server stores and passes scenes; it runs no geometric queries.
SERVER_ENGINE = re.compile(r"^ct_(scene_(retain|release|revision|count|bytes|weight|create|origin)|cancel_\w+|workspace_(create|destroy)|status_text)$")

# The folders of each layer, lowest first. A file includes headers of its own folder and of lower ones.
FOLDERS = {
    "engine": ["base", "linear", "lcp", "friction", "broad", "hull", "triangle", "mesh", "elements", "shape", "pair", "convex", "primitives",
               "curved", "mesh_pairs", "dispatch", "arrangement", "manifold", "volume", "ray", "features", "methods", "scene", "query", "path",
               "toi", "contact_state", "mechanics", "resting", "impulse", "integration", "compliant", "time_stepping", "event_driven", "advance"],
    "api": ["common", "json", "import", "shapes", "results", "documents", "calls", "records", "queries", "execution", "kinds",
            "handlers", "routes"],
    "server": ["process", "access", "store", "state", "scenes", "streams", "jobs", "http", "run"],
}
# Files that include headers of higher folders, and those headers.
UPWARD = {
}


def undefined(objects):
    """{object: names of its undefined symbols}"""
    out = subprocess.run(["nm", "-A", "-u", *map(str, objects)], capture_output=True, text=True, check=True).stdout
    found = {obj: [] for obj in objects}
    for line in out.splitlines():
        obj, symbol = line.split(":", 1)
        found[pathlib.Path(obj)].append(symbol.split()[-1].split("@")[0])
    return found


def has_source(obj):
    """False for objects that a build left behind whose source file was deleted or moved."""
    return obj.stem == "openapi_json" or obj.relative_to(BUILD).with_suffix(".c").exists()


def symbol_faults(layer, names):
    for name in names:
        if TOOLCHAIN.match(name):
            continue
        if layer == "engine" and not name.startswith("ct_") and name not in ENGINE_LIBC:
            yield f"engine uses {name}"
        if layer == "api" and (FORBIDDEN_API.match(name) or name.startswith("srv_")):
            yield f"api uses {name}"
        if layer == "server" and name.startswith("ct_") and not SERVER_ENGINE.match(name):
            yield f"server uses {name}"
        if layer == "server" and name.startswith("json_") and name != "json_object_seed":
            yield f"server uses {name}"


def include_faults(path):
    parts = path.parts
    layer = parts[0]
    folders, upward = FOLDERS[layer], set(UPWARD.get(str(path), ()))
    inner = parts[1] not in ("include", "example", "demo")
    if inner and (len(parts) != 3 or parts[1] not in folders):
        yield f"is in no folder of {layer} that tests/house/layers.py lists"
        return
    for include in re.findall(r'^\s*#\s*include\s*[<"]([^>"]+)[>"]', path.read_text(), re.M):
        head = include.split("/")[0]
        if inner and head in folders and folders.index(head) > folders.index(parts[1]):
            if include not in upward:
                yield f"includes {include} of a higher folder"
            upward.discard(include)
        if layer == "engine" and parts[1] != "example" and head in ("api", "jansson.h", "uv.h", "microhttpd.h", "pthread.h", "threads.h", "stdio.h"):
            yield f"engine includes {include}"
        if layer == "api" and head in ("uv.h", "microhttpd.h", "pthread.h", "server", *FOLDERS["engine"], *FOLDERS["server"]):
            yield f"api includes {include}"
        if layer == "server" and head in ("jansson.h", *FOLDERS["engine"], *FOLDERS["api"]):
            yield f"server includes {include}"
    for include in sorted(upward):
        yield f"does not include {include}, which UPWARD permits"


def main():
    passed = failed = 0
    for layer in ("engine", "api", "server"):
        objects = sorted(filter(has_source, (BUILD / layer).rglob("*.o")))
        if not objects:
            print(f"FAILED {layer}: no objects under {BUILD}")
            failed += 1
        for obj, symbols in (undefined(objects) if objects else {}).items():
            faults = list(symbol_faults(layer, symbols))
            failed, passed = (failed + 1, passed) if faults else (failed, passed + 1)
            for fault in faults:
                print(f"FAILED {obj}: {fault}")
        for path in sorted(p for p in pathlib.Path(layer).rglob("*.[ch]")):
            faults = list(include_faults(path))
            failed, passed = (failed + 1, passed) if faults else (failed, passed + 1)
            for fault in faults:
                print(f"FAILED {path}: {fault}")
    print(f"{passed} passed, {failed} failed, 0 skipped")
    return failed != 0


sys.exit(main())
