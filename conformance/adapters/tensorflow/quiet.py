"""Imports TensorFlow without its chatter and with plain, repeatable numerics.

Import this module before anything that imports tensorflow.
"""

import os

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
# oneDNN kernels change results in the last bits from one processor to the next.
os.environ.setdefault("TF_ENABLE_ONEDNN_OPTS", "0")
os.environ.setdefault("CUDA_VISIBLE_DEVICES", "-1")

import tensorflow as tf  # pylint: disable=wrong-import-position

tf.get_logger().setLevel("ERROR")
tf.compat.v1.disable_eager_execution()
