"""Makes the small networks of examples/ with Keras, and records TensorFlow's own answers.

    tools/make_peers.sh && .peers/bin/python examples/make_networks.py examples [EXAMPLE...]

What becomes of each, and how, is as in make_saved_models.py. The weights are drawn from fixed seeds and never trained: a
network answers nonsense, by the same graph that a trained one has.
"""

import make_saved_models
import numpy as np

tf = make_saved_models.tf
keras = tf.keras
layers = keras.layers
EXAMPLES = {}


def example(save):
    """Registers a function that saves a model into a folder and returns what to feed its signature, by name."""
    EXAMPLES[save.__name__] = save
    return save


def network(inputs, outputs):
    """A Keras model whose weights, biases and running means are drawn from a fixed seed."""
    model = keras.Model(inputs, outputs)
    random = np.random.default_rng(41)
    for variable in model.weights:
        fan_in = max(int(np.prod(variable.shape[:-1])), 1)
        drawn = random.standard_normal(variable.shape) * (fan_in**-0.5 if len(variable.shape) > 1 else 0.3)
        positive = variable.name in ("moving_variance", "gamma")
        variable.assign(1 + np.abs(drawn) if positive else drawn)
    return model


def archive(folder, model, function, signature):
    """Saves a function of a Keras model as the model's one endpoint."""
    export = keras.export.ExportArchive()
    export.track(model)
    export.add_endpoint(make_saved_models.SIGNATURE, function, input_signature=signature)
    export.write_out(folder, verbose=False)


def draw(seed, shape):
    return np.random.default_rng(seed).standard_normal(shape).astype(np.float32)


@example
def convnet(folder):
    """A classifier of images with a residual block: convolutions, normalized, with strides and dilation, and pools."""
    image = layers.Input((16, 16, 3), name="image")
    x = layers.Conv2D(8, 3, padding="same", use_bias=False)(image)
    x = layers.ReLU(max_value=6.0)(layers.BatchNormalization()(x))
    x = skipped = layers.MaxPooling2D(3, strides=2, padding="same")(x)
    x = layers.BatchNormalization()(layers.Conv2D(8, 3, padding="same", dilation_rate=2, use_bias=False)(x))
    x = layers.Activation("swish")(layers.Add()([x, skipped]))
    x = layers.Conv2D(12, 3, strides=2, groups=2)(layers.ZeroPadding2D()(x))
    x = layers.Concatenate()([layers.AveragePooling2D(2, strides=1, padding="same")(x), x])
    x = layers.Dropout(0.3)(layers.GlobalAveragePooling2D()(x))
    network(image, layers.Dense(5, activation="softmax", name="classes")(x)).export(folder, verbose=False)
    return {"image": draw(42, (3, 16, 16, 3))}


@example
def convlstm(folder):
    """The next picture of a film: a convolutional LSTM over its pictures, with convolutions of three dimensions before
    and a transposed one behind."""
    film = layers.Input((5, 8, 8, 1), name="film")
    x = layers.Conv3D(2, (1, 3, 3), padding="same", activation="relu")(film)
    x = layers.ConvLSTM2D(3, 3, padding="same", name="lstm")(x)
    x = layers.Conv2D(4, 3, strides=2, padding="same", activation="elu")(x)
    x = layers.Conv2DTranspose(1, 3, strides=2, padding="same", activation="sigmoid")(x)
    network(film, x).export(folder, verbose=False)
    return {"film": draw(43, (2, 5, 8, 8, 1))}


@example
def ctc_recognizer(folder):
    """A reader of lines of writing: convolutions and an LSTM along the line, the likeliest letters by CTC, taken greedily
    and by beam search."""
    height, letters = 8, 6
    line = layers.Input((None, height), name="line")
    x = layers.Reshape((-1, height, 1))(line)
    x = layers.Conv2D(4, 3, padding="same", activation="relu")(x)
    x = layers.MaxPooling2D((1, 2))(x)
    x = layers.Reshape((-1, height // 2 * 4))(x)
    x = layers.LSTM(10, return_sequences=True, name="lstm")(x)
    model = network(line, layers.Dense(letters + 1, name="letters")(x))

    def read(line, lengths):
        # The letters are told apart by more than the noise of random weights.
        logits = 8.0 * tf.transpose(model(line), [1, 0, 2])
        (greedy,), greedy_score = tf.nn.ctc_greedy_decoder(logits, lengths)
        beams, scores = tf.nn.ctc_beam_search_decoder(logits, lengths, beam_width=8, top_paths=2)
        return {"greedy": tf.sparse.to_dense(greedy, -1), "greedy_score": greedy_score,
                "best": tf.sparse.to_dense(beams[0], -1), "second": tf.sparse.to_dense(beams[1], -1),
                "scores": scores}

    archive(folder, model, read, [tf.TensorSpec([None, None, height], tf.float32, name="line"),
                                  tf.TensorSpec([None], tf.int32, name="lengths")])
    return {"line": draw(44, (3, 14, height)) * 2, "lengths": np.array([14, 9, 5], np.int32)}


@example
def detector(folder):
    """A detector of objects: boxes around a grid of anchors and a score for each, the best of every image by map_fn and
    non-maximum suppression, and a look at each of them again by CropAndResize."""
    size, stride, kept = 24, 4, 4
    image = layers.Input((size, size, 3), name="image")
    x = layers.Conv2D(8, 3, strides=2, padding="same", activation="relu")(image)
    x = layers.Conv2D(8, 3, strides=2, padding="same", activation="relu", name="features")(x)
    scores = layers.Conv2D(1, 1, name="score")(x)
    offsets = layers.Conv2D(4, 1, name="offset")(x)
    model = network(image, [x, scores, offsets])

    def anchors():
        centers = (tf.range(size // stride, dtype=tf.float32) + 0.5) * stride / size
        y, x = tf.meshgrid(centers, centers, indexing="ij")
        return tf.reshape(tf.stack([y, x], -1), [-1, 2])

    def best_of(image):
        scores, offsets = image
        scores, offsets = tf.sigmoid(tf.reshape(scores, [-1])), tf.reshape(offsets, [-1, 4])
        center = anchors() + 0.1 * tf.tanh(offsets[:, :2])
        half = 0.15 * tf.exp(tf.clip_by_value(offsets[:, 2:], -1.0, 1.0))
        boxes = tf.clip_by_value(tf.concat([center - half, center + half], 1), 0.0, 1.0)
        chosen = tf.image.non_max_suppression(boxes, scores, kept, iou_threshold=0.3, score_threshold=0.866)
        count = tf.size(chosen)
        rest = [[0, kept - count]]
        return tf.pad(tf.gather(boxes, chosen), rest + [[0, 0]]), tf.pad(tf.gather(scores, chosen), rest), count

    def detect(image):
        features, scores, offsets = model(image)
        boxes, scores, counts = tf.map_fn(best_of, (scores, offsets), fn_output_signature=(
            tf.TensorSpec([kept, 4]), tf.TensorSpec([kept]), tf.TensorSpec([], tf.int32)))
        owner = tf.repeat(tf.range(tf.shape(image)[0]), kept)
        crops = tf.image.crop_and_resize(features, tf.reshape(boxes, [-1, 4]), owner, [3, 3])
        looks = tf.reshape(tf.reduce_mean(crops, [1, 2]), [-1, kept, features.shape[-1]])
        return {"boxes": boxes, "scores": scores, "counts": counts, "looks": looks}

    archive(folder, model, detect, [tf.TensorSpec([None, size, size, 3], tf.float32, name="image")])
    return {"image": draw(45, (3, size, size, 3))}


@example
def keyword_spotter(folder):
    """A spotter of keywords in sound: overlapping frames, a bank of filters learned in place of a spectrum, convolutions
    by depth and by point, and the scores smoothed along time."""
    frame, step, words = 32, 16, 4
    sound = layers.Input((None, frame), name="frames")
    x = layers.Dense(16, activation="relu", name="bank")(sound)
    x = layers.Reshape((-1, 16, 1))(layers.Lambda(lambda energy: tf.math.log(energy + 1e-2))(x))
    x = layers.Conv2D(6, (5, 4), strides=(2, 2), padding="same", activation="relu")(x)
    x = layers.DepthwiseConv2D(3, padding="same", use_bias=False)(x)
    x = layers.ReLU()(layers.BatchNormalization()(x))
    x = layers.Conv2D(6, 1, activation="relu")(x)
    x = layers.Lambda(lambda x: tf.reduce_mean(x, 2))(x)
    model = network(sound, layers.Dense(words, activation="softmax", name="words")(x))

    def spot(sound):
        frames = tf.signal.frame(sound, frame, step, pad_end=True)
        scores = model(frames - tf.reduce_mean(frames, -1, keepdims=True))
        smoothed = tf.scan(lambda sum, score: 0.8 * sum + 0.2 * score, tf.transpose(scores, [1, 0, 2]))
        heard = tf.reduce_max(smoothed, 0)
        return {"scores": heard, "word": tf.argmax(heard, -1), "times": tf.argmax(smoothed, 0, tf.int32)}

    archive(folder, model, spot, [tf.TensorSpec([None, None], tf.float32, name="sound")])
    return {"sound": draw(46, (2, 400))}


@example
def crf_tagger(folder):
    """A tagger of words with a conditional random field: a recurrent network scores tags, a loop sums over all
    sequences of tags, and two more find the likeliest one by Viterbi's algorithm and trace it back."""
    words, tags = 12, 4
    sentence = layers.Input((None,), dtype="int32", name="sentence")
    x = layers.Embedding(words, 6, name="embedding")(sentence)
    x = layers.SimpleRNN(8, return_sequences=True, name="rnn")(x)
    model = network(sentence, layers.Dense(tags, name="scores")(x))
    model.moves = model.add_weight(name="moves", shape=(tags, tags))
    model.moves.assign(draw(47, (tags, tags)))

    def forward(scores, alive, moves, join):
        """The last state of a pass along time (the first axis), and what `join` tells of each step."""
        time = tf.shape(scores)[0]
        told = tf.TensorArray(tf.int32, time - 1, element_shape=[None, tags])

        def step(t, state, told):
            new, tell = join(state[:, :, None] + moves)
            return t + 1, tf.where(alive[t][:, None], new + scores[t], state), told.write(t - 1, tell)

        _, state, told = tf.while_loop(lambda t, *_: t < time, step, [1, scores[0], told])
        return state, told.stack()

    def trace_back(state, came_from, alive):
        """The tags from the first to the last, behind the end zeros."""
        last = tf.argmax(state, 1, tf.int32)

        def step(t, tag, path):
            before = tf.where(alive[t], tf.gather(came_from[t - 1], tag, batch_dims=1), tag)
            return t - 1, before, path.write(t - 1, before)

        time = tf.shape(alive)[0]
        path = tf.TensorArray(tf.int32, time, element_shape=[None]).write(time - 1, last)
        path = tf.while_loop(lambda t, *_: t > 0, step, [time - 1, last, path])[2]
        return tf.transpose(path.stack() * tf.cast(alive, tf.int32))

    def tag(sentence, lengths):
        moves = tf.convert_to_tensor(model.moves)
        scores = tf.transpose(model(sentence), [1, 0, 2])
        alive = tf.transpose(tf.sequence_mask(lengths, tf.shape(sentence)[1]))
        all_sums, _ = forward(scores, alive, moves,
                              lambda ways: (tf.reduce_logsumexp(ways, 1), tf.argmax(ways, 1, tf.int32)))
        best, came_from = forward(scores, alive, moves,
                                  lambda ways: (tf.reduce_max(ways, 1), tf.argmax(ways, 1, tf.int32)))
        log_sum = tf.reduce_logsumexp(all_sums, 1)
        return {"tags": trace_back(best, came_from, alive), "log_sum": log_sum,
                "share": tf.exp(tf.reduce_max(best, 1) - log_sum)}

    archive(folder, model, tag, [tf.TensorSpec([None, None], tf.int32, name="sentence"),
                                 tf.TensorSpec([None], tf.int32, name="lengths")])
    return {"sentence": np.random.default_rng(48).integers(1, words, (3, 7), np.int32),
            "lengths": np.array([7, 4, 1], np.int32)}


if __name__ == "__main__":
    make_saved_models.main(__file__, EXAMPLES, __doc__)
