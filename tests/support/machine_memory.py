"""The memory that this process may use, by the files of its control groups and the machine's memory."""
import os
import pathlib


def least_memory_limit():
    """The smallest limit of the control groups of this process."""
    least = 2 ** 63
    for line in pathlib.Path("/proc/self/cgroup").read_text().splitlines():
        number, controllers, group = line.split(":", 2)
        if number == "0" and not controllers:
            mount, name = pathlib.Path("/sys/fs/cgroup"), "memory.max"
        elif "memory" in controllers.split(","):
            mount, name = pathlib.Path("/sys/fs/cgroup/memory"), "memory.limit_in_bytes"
        else:
            continue
        place = mount / group.strip("/")
        for folder_above in (place, *place.parents):
            if folder_above == mount or mount in folder_above.parents:
                try:
                    least = min(least, int((folder_above / name).read_text()))
                except (OSError, ValueError):
                    pass
    return least


def least_memory():
    """The smaller of that limit and the machine's memory."""
    return min(least_memory_limit(), os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE"))
