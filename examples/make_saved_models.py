"""Makes the SavedModels of examples/ with TensorFlow 2 and Keras, and records TensorFlow's own answers.

    tools/make_peers.sh && .peers/bin/python examples/make_saved_models.py examples [EXAMPLE...]

Each example becomes a folder: saved_model.pb, variables/ and assets/ as TensorFlow saves them, call.txt (which
signature to call, with what, and how often), inputs and TensorFlow's outputs as .npy files. They are the same whenever
they are made, but for the order in which Keras saves variables.
"""

import contextlib
import os
import shutil
import subprocess
import sys
import tempfile

import make_examples
import numpy as np

tf = make_examples.tf
EXAMPLES = {}
SIGNATURE = "serving_default"


def example(save):
    """Registers a function that saves a model into a folder and returns what to feed its signature, by name, and
    where that matters how often to call it."""
    EXAMPLES[save.__name__] = save
    return save


def weight(shape, seed, size=0.5):
    """The beginning of a variable."""
    return (np.random.default_rng(seed).standard_normal(shape) * size).astype(np.float32)


def save(folder, module, function):
    """Saves a function, with the variables of a module, as the one signature of a model."""
    tf.saved_model.save(module, folder, signatures={SIGNATURE: function})


def export(folder, layers):
    """Saves Keras layers as Keras does for serving."""
    tf.keras.utils.set_random_seed(11)
    model = tf.keras.Sequential(layers, name="model")
    # Biases begin as zeros, which would hide a mistake.
    random = np.random.default_rng(12)
    for variable in model.trainable_weights:
        variable.assign(variable.numpy() + random.uniform(-0.2, 0.2, variable.shape))
    model.export(folder, verbose=False)


@example
def keras_lstm(folder):
    """An LSTM of Keras over sequences of several lengths, the padding masked, and a dense layer on its last state."""
    layers, time, size = tf.keras.layers, 6, 3
    export(folder, [
        layers.Input((time, size), name="x"),
        layers.Masking(name="mask"),
        layers.LSTM(5, name="lstm"),
        layers.Dense(2, activation="softmax", name="dense"),
    ])
    x = weight([4, time, size], 13, 1.0)
    for row, length in enumerate([6, 2, 4, 1]):
        x[row, length:] = 0
    return {"x": x}


@example
def keras_gru(folder):
    """A GRU of Keras that reads sentences of word numbers backwards, padded by zeros, with an answer for every word."""
    layers = tf.keras.layers
    export(folder, [
        layers.Input((None,), dtype="int32", name="tokens"),
        layers.Embedding(7, 4, mask_zero=True, name="embed"),
        layers.GRU(3, go_backwards=True, return_sequences=True, name="gru"),
        layers.Dense(2, name="dense"),
    ])
    return {"tokens": np.array([[1, 5, 2, 6, 4], [3, 3, 1, 0, 0], [2, 6, 0, 0, 0]], np.int32)}


@example
def autograph(folder):
    """The first primes and the gaps between them, in plain Python that AutoGraph makes a graph of."""

    @tf.function(input_signature=[tf.TensorSpec([], tf.int32, name="n")])
    def primes(n):
        tf.debugging.assert_positive(n, "no primes are asked for")
        found = tf.TensorArray(tf.int32, 0, dynamic_size=True, element_shape=[])
        divisions = 0
        candidate = 1
        while found.size() < n:
            candidate += 1
            prime = True
            for divisor in tf.range(2, candidate):
                if divisor * divisor > candidate:
                    break
                divisions += 1
                if candidate % divisor == 0:
                    prime = False
                    break
            if not prime:
                continue
            found = found.write(found.size(), candidate)
        first = found.stack()
        largest, after = 0, 0
        for position in tf.range(1, n):
            gap = first[position] - first[position - 1]
            if gap > largest:
                largest, after = gap, first[position - 1]
        return {"primes": first, "divisions": divisions, "largest_gap": largest, "after": after}

    save(folder, tf.Module(), primes)
    return {"n": np.int32(30)}


@example
def decoding(folder):
    """Sentences of a recurrent network, word by word until each has ended: one function with a loop, called for the
    likeliest words and for words drawn at random."""
    words, size, end = 8, 5, 0
    module = tf.Module()
    module.embedding = tf.Variable(weight([words, size], 21, 1.0), name="embedding")
    module.recurrent = tf.Variable(weight([2 * size, size], 22, 0.8), name="recurrent")
    module.output = tf.Variable(weight([size, words], 23, 1.5), name="output")

    @tf.function
    def decode(state, heat, limit):
        rows = tf.shape(state)[0]

        def unfinished(step, state, word, ended, lengths, sentence):
            return step < limit and not tf.reduce_all(ended)

        def extend(step, state, word, ended, lengths, sentence):
            seen = tf.concat([tf.gather(module.embedding, word), state], 1)
            state = tf.tanh(seen @ module.recurrent)
            noise = tf.random.stateless_uniform([rows, words], tf.stack([7, step]), 1e-6, 1.0)
            scores = state @ module.output - heat * tf.math.log(-tf.math.log(noise))
            word = tf.where(ended, end, tf.argmax(scores, 1, tf.int32))
            lengths += tf.cast(~ended, tf.int32)
            return step + 1, state, word, ended | (word == end), lengths, sentence.write(step, word)

        sentence = tf.TensorArray(tf.int32, limit, element_shape=[None])
        none = tf.zeros([rows], tf.int32)
        steps, _, _, _, lengths, sentence = tf.while_loop(
            unfinished, extend, [0, state, none + 1, none > 0, none, sentence])
        return tf.transpose(sentence.stack()[:steps]), lengths

    @tf.function(input_signature=[
        tf.TensorSpec([None, size], tf.float32, name="state"), tf.TensorSpec([], tf.int32, name="limit")])
    def both(state, limit):
        likeliest, likeliest_lengths = decode(state, tf.constant(0.0), limit)
        drawn, drawn_lengths = decode(state, tf.constant(1.0), limit)
        return {"likeliest": likeliest, "likeliest_lengths": likeliest_lengths, "drawn": drawn,
                "drawn_lengths": drawn_lengths}

    save(folder, module, both)
    return {"state": weight([3, size], 24, 1.0), "limit": np.int32(12)}


@example
def functional_training(folder):
    """A recurrent network trained by gradient descent with momentum: the gradient of a loop, in a loop of steps. The
    signature is called three times; each call goes on from the variables that the one before left."""
    time, size = 4, 3
    module = tf.Module()
    module.recurrent = tf.Variable(weight([1 + size, size], 31), name="recurrent")
    module.output = tf.Variable(weight([size, 1], 32), name="output")
    module.velocity = [tf.Variable(tf.zeros_like(v), trainable=False, name="velocity")
                       for v in (module.recurrent, module.output)]
    module.steps = tf.Variable(0, trainable=False, dtype=tf.int64, name="steps")

    def loss_of(x, target):
        def step(t, state):
            return t + 1, tf.tanh(tf.concat([x[:, t, None], state], 1) @ module.recurrent)

        _, state = tf.while_loop(lambda t, _: t < tf.shape(x)[1], step, [0, tf.zeros([tf.shape(x)[0], size])])
        return tf.reduce_mean(tf.square(tf.squeeze(state @ module.output, 1) - target))

    @tf.function(input_signature=[
        tf.TensorSpec([None, time], tf.float32, name="x"), tf.TensorSpec([None], tf.float32, name="target"),
        tf.TensorSpec([], tf.int32, name="steps")])
    def train(x, target, steps):
        variables = [module.recurrent, module.output]
        losses = tf.TensorArray(tf.float32, steps, element_shape=[])
        for step in tf.range(steps):
            with tf.GradientTape() as tape:
                loss = loss_of(x, target)
            for variable, velocity, gradient in zip(variables, module.velocity, tape.gradient(loss, variables)):
                velocity.assign(0.9 * velocity + gradient)
                variable.assign_sub(0.05 * velocity)
            losses = losses.write(step, loss)
            module.steps.assign_add(1)
        return {"losses": losses.stack(), "recurrent": module.recurrent.read_value(),
                "output": module.output.read_value(), "all_steps": module.steps.read_value()}

    save(folder, module, train)
    x = np.random.default_rng(33).uniform(-1, 1, (6, time)).astype(np.float32)
    return {"x": x, "target": x.sum(axis=1), "steps": np.int32(5)}, 3


@example
def vocabulary(folder):
    """Words numbered by a vocabulary that the model brings along, those that are not in it by buckets, and the longest
    run of words that are."""
    module = tf.Module()
    # Tables are named after the path that they were first filled from.
    with tempfile.TemporaryDirectory() as source, contextlib.chdir(source):
        path = "words.txt"
        with open(path, "w") as file:
            file.write("\n".join("the cat sat on a mat and dog of".split()) + "\n")
        word, line = tf.lookup.TextFileIndex.WHOLE_LINE, tf.lookup.TextFileIndex.LINE_NUMBER
        numbers = tf.lookup.TextFileInitializer(path, tf.string, word, tf.int64, line)
        texts = tf.lookup.TextFileInitializer(path, tf.int64, line, tf.string, word)
        module.numbers = tf.lookup.StaticHashTable(numbers, default_value=-1)
        module.texts = tf.lookup.StaticHashTable(texts, default_value="?")
        module.buckets = tf.lookup.StaticVocabularyTable(numbers, num_oov_buckets=3)

        @tf.function(input_signature=[tf.TensorSpec([None], tf.string, name="words")])
        def number(words):
            longest, run = 0, 0
            for word in words:
                if module.numbers.lookup(word) < 0:
                    run = 0
                    continue
                run += 1
                longest = tf.maximum(longest, run)
            ids = module.numbers.lookup(words)
            return {"ids": ids, "buckets": module.buckets.lookup(words), "known": module.texts.lookup(ids),
                    "longest_run": longest, "size": module.numbers.size()}

        save(folder, module, number)
    words = "the quick dog sat on the mat of a lazy fox and purred".split()
    return {"words": np.array(words, np.bytes_)}


def make(folder, save_model):
    """Saves one example, calls it as TensorFlow loads it, and writes call, inputs and outputs into the folder."""
    shutil.rmtree(folder, ignore_errors=True)
    said = save_model(folder)
    feeds, repeat = said if isinstance(said, tuple) else (said, 1)
    # No part of the model: a checksum of it, and folders that nothing is in.
    os.remove(os.path.join(folder, "fingerprint.pb"))
    for part in os.listdir(folder):
        if os.path.isdir(os.path.join(folder, part)) and not os.listdir(os.path.join(folder, part)):
            os.rmdir(os.path.join(folder, part))
    call = tf.saved_model.load(folder).signatures[SIGNATURE]
    for _ in range(repeat):
        values = call(**{name: tf.constant(value) for name, value in feeds.items()})
    options = [f"signature {SIGNATURE}"] + ([f"repeat {repeat}"] if repeat > 1 else [])
    make_examples.write_call(folder, options, feeds, {name: value.numpy() for name, value in sorted(values.items())})


def main(script, examples, usage):
    """Makes the examples that the command line names, or all."""
    if len(sys.argv) < 2:
        sys.exit(usage)
    chosen = sys.argv[2:] or list(examples)
    for name in chosen:
        if len(chosen) == 1:
            make(os.path.join(os.path.abspath(sys.argv[1]), name), examples[name])
        else:  # Names hold numbers that a process counts: with one of its own, an example is always the same.
            subprocess.run([sys.executable, script, sys.argv[1], name], check=True)


if __name__ == "__main__":
    main(__file__, EXAMPLES, __doc__)
