"""The files that a check of single files examines: all, or those that changed, under `make check`."""
import os


def changed_only(paths, *rules):
    """The paths that CONTACTD_CHANGED lists, one per line; all paths without it, or if it lists a file of the rules."""
    changed = set(os.environ.get("CONTACTD_CHANGED", "").split("\n")) - {""}
    if not changed or changed & set(rules):
        return paths
    return [path for path in paths if str(path) in changed]
