"""Who may depend on whom, checked three ways: the includes of the files, the targets of the BUILD
files, and what Bazel says is reached from each layer's libraries.

graph knows nothing of ours; transform and reference know graph; optimized knows graph and
transform. The two engines never meet below the top, so that a mistake in one cannot hide in the
other. Only graph/io, graph/saved and the top see the wire format.
"""

import posixpath
import re

import build_files

_LOWER = {"graph", "transform", "reference", "optimized"}
_MIDDLE = _LOWER | {"conformance", "fuzz", "bench"}

# A layer is a folder at the root; it may use itself and these.
ALLOWED = {
    "graph": set(),
    "transform": {"graph"},
    "reference": {"graph"},
    "optimized": {"graph", "transform"},
    "conformance": _MIDDLE,
    "fuzz": _MIDDLE,
    "bench": _MIDDLE,
    "cli": _MIDDLE | {"examples"},
    "include": set(),
    "c": {"graph", "transform", "optimized", "include", "examples"},
    "python": _MIDDLE | {"cli", "examples"},
    "examples": _MIDDLE | {"cli"},
    "tools": _MIDDLE | {"cli", "examples"},
}

_PROTOBUF = "@com_google_protobuf//"
_SEERS = ("graph/io", "graph/saved")  # of the lower layers

# Standard headers, which the compiler has read beforehand for every layer.
_PRECOMPILED = "//tools/precompiled:"


def layer_of(path):
    """The layer of a file or a package, or None for what is outside all of them."""
    layer = path.partition("/")[0]
    return layer if layer in ALLOWED else None


def _may_use(user, used):
    return user is None or used is None or used == user or used in ALLOWED[user]


def _sees_protos(path):
    if layer_of(path) not in _LOWER:
        return True
    return any(path == seer or path.startswith(seer + "/") for seer in _SEERS)


_INCLUDE = re.compile(r'^\s*#\s*include\s*["<]([^">]+)[">]', re.MULTILINE)


def includes(files, read):
    """Breaches by #include, as (path, message)."""
    for path in files:
        if not path.endswith((".cc", ".h", ".cu")):
            continue
        for header in _INCLUDE.findall(read(path)):
            if not _may_use(layer_of(path), layer_of(header)):
                yield path, f"{layer_of(path)} may not include {header}"
            wire = header.endswith(".pb.h") or header.startswith("google/protobuf/")
            if wire and not _sees_protos(path):
                yield path, f"includes {header}: only graph/io and graph/saved see the wire format"


def dependencies(targets):
    """Breaches by the attributes of targets, as (label, message)."""
    generated = {
        f"//{target.package}:{target.name}"
        for target in targets if target.rule in ("cc_proto_library", "proto_library")
    }
    for target in targets:
        user = f"//{target.package}:{target.name}"
        for used in sorted(build_files.labels(target)):
            if used.startswith("//") and not _may_use(layer_of(target.package), _layer(used)):
                yield user, f"{layer_of(target.package)} may not depend on {used}"
            wire = used in generated or used.startswith(_PROTOBUF) or used == "@system//:protobuf"
            if wire and not _sees_protos(target.package):
                yield user, f"depends on {used}: only graph/io and graph/saved see the wire format"


def _layer(label):
    return layer_of(label[2:].partition(":")[0])


def reached(layer, label_lines):
    """Breaches in what Bazel says a layer's libraries reach, as (label, message)."""
    found = [line for line in label_lines if line]
    if not any(_layer(label) == layer for label in found if label.startswith("//")):
        yield f"//{layer}", "the query does not even reach the layer itself"
    for label in found:
        is_ours = label.startswith("//") and not label.startswith(_PRECOMPILED)
        if is_ours and not _may_use(layer, _layer(label)):
            yield label, f"is reached from {layer}"
        if label.startswith(_PROTOBUF) and layer in _LOWER:
            yield label, f"is reached from {layer}: only graph/io and graph/saved see the wire format"


def unasked(targets, asked):
    """Lower layers that have libraries and no query of their own, as (label, message)."""
    present = {
        layer_of(target.package)
        for target in targets if target.rule in ("cc_library", "cuda_library")
    }
    for layer in sorted((present & _LOWER) - set(asked)):
        yield f"//{layer}", "has libraries and no layer_query in tools/BUILD"


def query_layer(path):
    """The layer that a query's output file is about: tools/graph_reaches -> graph."""
    return posixpath.basename(path).removesuffix("_reaches")
