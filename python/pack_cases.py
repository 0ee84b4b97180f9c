#!/usr/bin/env python3
"""Packs conformance cases: pack_cases.py OUT CASE..., under their folders below conformance/cases."""

import sys
import zipfile

ROOT = "conformance/cases/"


def main(out, *paths):
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as cases:
        for path in sorted(paths):
            # The same bytes from the same files, whenever they are packed.
            entry = zipfile.ZipInfo(path[path.index(ROOT) + len(ROOT):], (2000, 1, 1, 0, 0, 0))
            entry.compress_type = zipfile.ZIP_DEFLATED
            with open(path, "rb") as case:
                cases.writestr(entry, case.read())


if __name__ == "__main__":
    main(*sys.argv[1:])
