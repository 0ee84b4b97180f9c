#!/usr/bin/env python3
"""Writes the corpus of single ops: what TensorFlow's CPU kernels do, as binary cases.

  .peers/bin/python conformance/recorder/op_corpus.py FOLDER [--only PREFIX] [--jobs N]

The same cases come out every time. They are not part of the tree; `tagflow check FOLDER` runs them.
Under FOLDER: ops/ has the language's ops; extra/ ops beside them that TensorFlow's own library
likes to use; platform/ results that TensorFlow leaves to the processor.
"""

import os
import sys

sys.path.insert(0, os.path.dirname(os.path.realpath(__file__)))

import corpus

MODULES = ("op_elementwise", "op_reduce", "op_shape", "op_index", "op_select_cast", "op_control",
           "op_variables", "op_tensor_lists", "op_training", "op_arrays", "op_array_rules",
           "op_scatter", "op_segment", "op_search", "op_product", "op_random", "op_random_trials",
           "op_strings", "op_rearrange", "op_diagonals", "op_slice_update", "op_lists",
           "op_gather", "op_references", "op_functional", "op_tables", "op_examples",
           "op_old_arrays", "op_math", "op_special", "op_totals", "op_parts", "op_convolution",
           "op_normalization", "op_pooling", "op_sets", "op_sparse", "op_sparse_texts",
           "op_sparse_math", "op_ctc", "op_image", "op_texts", "op_recurrent", "op_quantization",
           "op_random_state", "op_color", "op_dilation", "op_fourier", "op_ragged",
           "op_ragged_variants", "op_maps", "op_decomposition")

if __name__ == "__main__":
  corpus.main(__doc__, MODULES)
