"""The files that a check of single files judges: all, or those that changed, under `make check`."""
import os


def changed_only(paths, *rules):
    """The paths that CONTACTD_CHANGED lists, one in a line; all without it, or if it lists a file of the rules."""
    changed = set(os.environ.get("CONTACTD_CHANGED", "").split("\n")) - {""}
    if not changed or changed & set(rules):
        return paths
    return [path for path in paths if str(path) in changed]
