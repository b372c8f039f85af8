"""Bounds on what the compiler's own log says of a folder of compiled kernels.

  check-resources.py FOLDER COUNT MAX_REGISTERS
"""

import json
import pathlib
import sys

folder, count, registers = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
files = sorted(pathlib.Path(folder).glob("*.json"))
bad = [] if len(files) == count else [f"{len(files)} kernels, not {count}"]
for file in files:
    resources = json.loads(file.read_text())["resources"]
    if not resources:
        bad.append(f"{file.name}: no figures")
    for symbol, used in resources.items():
        for figure, limit in (
            ("spill_store_bytes", 0),
            ("spill_load_bytes", 0),
            ("registers", registers),
        ):
            if not 0 <= used.get(figure, -1) <= limit:
                bad.append(f"{file.name}: {symbol}: {figure} {used.get(figure)}")
print("\n".join(bad) or "ok")
sys.exit(bool(bad))
