#!/usr/bin/env python3
"""Compares our op definitions with those of the installed TensorFlow, line by line.

  ./bazelw build //graph:print_ops
  .peers/bin/python graph/ops/compare_with_tensorflow.py bazel-bin/graph/print_ops

Arguments, attrs, their order-free sets of types, minima, defaults and flags must be equal. The
exit code says whether they are.
"""

import re
import subprocess
import sys

from tensorflow.core.framework import op_def_pb2, types_pb2
from tensorflow.python.client import pywrap_tf_session


def definitions():
    """TensorFlow's definitions by name, those of its runtime (_Send, ...) included."""
    ops = op_def_pb2.OpList()
    ops.ParseFromString(pywrap_tf_session.TF_GetBuffer(pywrap_tf_session.TF_GetAllOpList()))
    return {op.name: op for op in ops.op}


def type_name(number):
    return types_pb2.DataType.Name(number).removeprefix("DT_").lower()


def argument(arg):
    kind = arg.type_list_attr or arg.type_attr or type_name(arg.type)
    if arg.number_attr:
        kind = f"{arg.number_attr} * {kind}"
    return f"{arg.name}: " + (f"Ref({kind})" if arg.is_ref else kind)


def quoted(text):
    return '"' + text.decode().replace("\n", "\\n") + '"'


def shape(value):
    if value.unknown_rank:
        return "<unknown>"
    return "[" + ",".join("?" if dim.size < 0 else str(dim.size) for dim in value.dim) + "]"


def number(value):
    """The shorter of 0.0001 and 1e-04, as ours are printed."""
    if value == int(value):
        return str(int(value))
    fixed = repr(float(f"{value:.7g}"))
    return min(fixed, re.sub(r"\.?0*e", "e", f"{value:.6e}"), key=len)


_VALUES = {
    "s": quoted,
    "i": str,
    "f": number,
    "b": lambda value: "true" if value else "false",
    "type": type_name,
    "shape": shape,
}


_KINDS = {"s": "string", "i": "int", "f": "float", "b": "bool"}


def default(value):
    which = value.WhichOneof("value")
    if which != "list":
        return _VALUES[which](getattr(value, which))
    for field, text in _VALUES.items():
        items = getattr(value.list, field)
        if items:
            return f"list({_KINDS.get(field, field)})[" + ", ".join(map(text, items)) + "]"
    return "[]"


def attribute(attr):
    allowed = [type_name(number) for number in attr.allowed_values.list.type]
    allowed += [text.decode() for text in attr.allowed_values.list.s]
    # Mod lists half twice.
    text = " ".join([f"{attr.name}: {attr.type}"] + sorted(set(allowed)))
    if attr.has_minimum:
        text += f" >= {attr.minimum}"
    if attr.HasField("default_value"):
        text += " = " + default(attr.default_value)
    return text


def line(op):
    flags = "".join(
        word
        for word, is_set in [
            (" stateful", op.is_stateful),
            (" commutative", op.is_commutative),
            (" uninitialized", op.allows_uninitialized_input),
        ]
        if is_set
    )
    parts = [
        op.name,
        "; ".join(map(argument, op.input_arg)),
        "; ".join(map(argument, op.output_arg)),
        "; ".join(attribute(attr) for attr in sorted(op.attr, key=lambda attr: attr.name)),
    ]
    return " | ".join(parts) + " |" + flags


def with_plain_numbers(text):
    """A line of ours, whose floats may be written with an exponent, as number() writes them."""
    return re.sub(r"(: float = )([^;\s]+)", lambda found: found[1] + number(float(found[2])), text)


def main():
    theirs = definitions()
    ours = subprocess.run([sys.argv[1]], check=True, capture_output=True, text=True).stdout
    differences = 0
    for mine in ours.splitlines():
        name = mine.split(" ", 1)[0]
        mine = with_plain_numbers(mine)
        other = line(theirs[name]) if name in theirs else "(TensorFlow lacks it)"
        if mine != other:
            differences += 1
            print(f"ours:   {mine}\ntheirs: {other}\n")
    print(f"{len(ours.splitlines())} ops compared, {differences} differ")
    return 1 if differences else 0


if __name__ == "__main__":
    sys.exit(main())
