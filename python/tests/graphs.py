"""Small graphs, as text."""

import tagflow


def attr(name, **value):
    (kind, content), = value.items()
    return f'attr {{ key: "{name}" value {{ {kind}: {content} }} }}'


def dtype(name, enum):
    return attr(name, type=enum)


def node(name, op, *inputs, attrs=()):
    lines = [f'name: "{name}" op: "{op}"', *(f'input: "{each}"' for each in inputs), *attrs]
    return "node { " + " ".join(lines) + " }"


def placeholder(name, enum):
    return node(name, "Placeholder", attrs=[dtype("dtype", enum)])


def constant(name, enum, content):
    return node(name, "Const", attrs=[
        dtype("dtype", enum),
        f'attr {{ key: "value" value {{ tensor {{ dtype: {enum} {content} }} }} }}'])


def floats(name, values):
    content = f"tensor_shape {{ dim {{ size: {len(values)} }} }} " + " ".join(
        f"float_val: {value}" for value in values)
    return constant(name, "DT_FLOAT", content)


def graph(*nodes):
    return tagflow.load("\n".join(nodes).encode())


def identity(enum):
    """x -> y = x"""
    return graph(placeholder("x", enum), node("y", "Identity", "x", attrs=[dtype("T", enum)]))


def add_one():
    """x -> y = x + 1, floats"""
    return graph(placeholder("x", "DT_FLOAT"),
                 constant("one", "DT_FLOAT", "tensor_shape {} float_val: 1"),
                 node("y", "AddV2", "x", "one", attrs=[dtype("T", "DT_FLOAT")]))


def loop(body, enum="DT_INT32", limit="n"):
    """i = 0; while i < n: i = body; -> out. `body` are nodes of which `next` is the new i, made of
    `i`, and of `one` in the frame."""
    t = dtype("T", enum)
    frame = [attr("frame_name", s='"loop"')]
    constant_frame = frame + [attr("is_constant", b="true"), t]
    zero = "tensor_shape {} int_val: "
    return graph(
        placeholder("n", enum),
        constant("start", enum, zero + "0"),
        constant("step", enum, zero + "1"),
        node("enter", "Enter", "start", attrs=frame + [t]),
        node("limit", "Enter", limit, attrs=constant_frame),
        node("one", "Enter", "step", attrs=constant_frame),
        node("merge", "Merge", "enter", "again", attrs=[t, attr("N", i=2)]),
        node("less", "Less", "merge", "limit", attrs=[t]),
        node("cond", "LoopCond", "less"),
        node("switch", "Switch", "merge", "cond", attrs=[t]),
        node("i", "Identity", "switch:1", attrs=[t]),
        *body,
        node("again", "NextIteration", "next", attrs=[t]),
        node("out", "Exit", "switch", attrs=[t]))


def counting():
    """n -> out = n, by so many iterations"""
    return loop([node("next", "AddV2", "i", "one", attrs=[dtype("T", "DT_INT32")])])


def endless():
    """n > 0 -> a loop that never ends"""
    return loop([node("next", "Mul", "i", "one", attrs=[dtype("T", "DT_INT32")])])


def dividing():
    """n -> 1 // (3 - i) in each iteration: an error in the fourth"""
    t = [dtype("T", "DT_INT32")]
    return loop([
        constant("three", "DT_INT32", "tensor_shape {} int_val: 3"),
        node("three_in", "Enter", "three",
             attrs=[attr("frame_name", s='"loop"'), attr("is_constant", b="true"), *t]),
        node("left", "Sub", "three_in", "i", attrs=t),
        node("divided", "FloorDiv", "one", "left", attrs=t),
        node("nothing", "Sub", "divided", "divided", attrs=t),
        node("more", "AddV2", "i", "nothing", attrs=t),
        node("next", "AddV2", "more", "one", attrs=t)])


def variable():
    """`assign` puts `value` (floats) into a variable; `read` reads it"""
    d = [dtype("dtype", "DT_FLOAT")]
    handle = node("handle", "VarHandleOp", attrs=[
        dtype("dtype", "DT_FLOAT"), "attr { key: \"shape\" value { shape { unknown_rank: true } } }",
        attr("shared_name", s='"v"')])
    return graph(placeholder("value", "DT_FLOAT"), handle,
                 node("assign", "AssignVariableOp", "handle", "value", attrs=d),
                 node("read", "ReadVariableOp", "handle", attrs=d))
