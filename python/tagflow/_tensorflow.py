"""Graphs of a TensorFlow that runs in this process."""

from typing import Any, List


def graph_bytes(source: Any, session: Any) -> bytes:
    """A GraphDef of a tf.Graph or a ConcreteFunction, in which variables are constants."""
    if hasattr(source, "structured_input_signature"):
        return _of_function(source)
    definition = source.as_graph_def(add_shapes=False)
    if session is None:
        return bytes(definition.SerializeToString())
    from tensorflow.python.framework import convert_to_constants
    frozen = convert_to_constants.convert_variables_to_constants_from_session_graph(
        session, definition, _leaves(source))
    return bytes(frozen.SerializeToString())


def _leaves(graph: Any) -> List[str]:
    """The nodes whose outputs nobody reads: with what they need, they are the whole graph."""
    return [op.name for op in graph.get_operations()
            if not any(output.consumers() for output in op.outputs)]


def _of_function(function: Any) -> bytes:
    from tensorflow.python.framework.convert_to_constants import (
        convert_variables_to_constants_v2)
    frozen = convert_variables_to_constants_v2(function, lower_control_flow=False)
    return bytes(frozen.graph.as_graph_def().SerializeToString())
