"""Groups for ops on texts: joined, split, measured, converted and printed."""

import numpy as np
import op_values
import record
from op_probe import Group
from op_probe import GraphMaker
from op_probe import Probe
from op_probe import Scenario
from op_probe import dtypes_of
from op_probe import tf

_SPACES = b" \t\n\v\f\r"


def groups():
  """All groups, in a fixed order."""
  for dtype in dtypes_of("AsString"):
    if dtype != tf.variant:
      yield from _as_string(dtype)
  yield _as_string_wrong()
  yield from _join()
  yield from _reduce_join()
  yield from _segment_join()
  for dtype in dtypes_of("StringToNumber", "out_type"):
    yield from _to_number(dtype)
  yield from _length_and_substr()
  yield from _split()
  yield from _one_to_one()
  yield from _buckets()
  yield from _format()
  yield _print()


def _texts(values, shape=None):
  array = op_values.array(values, tf.string)
  return array if shape is None else array.reshape(shape)


def _ints(values, dtype=tf.int32):
  return np.array(values, dtype.as_numpy_dtype)


_FORMATS = ({}, {"width": 12}, {"width": 12, "fill": "0"}, {"width": 12, "fill": "-"},
            {"width": 12, "fill": "+"}, {"width": 12, "fill": " "}, {"fill": "+"}, {"fill": "#"},
            {"width": 0}, {"width": -3}, {"width": 6, "fill": "#"})
_FRACTION_FORMATS = ({"precision": 3}, {"scientific": True}, {"shortest": True}, {"precision": 0},
                     {"precision": 3, "width": 14, "fill": "0"}, {"precision": 30},
                     {"shortest": True, "precision": 2}, {"precision": 0, "fill": "#"},
                     {"scientific": True, "precision": 1, "width": 9, "fill": "-"})


def _as_string(dtype):
  name = f"ops/AsString/{dtype.name}"
  values = op_values.special(dtype)
  fractions = dtype.is_floating or dtype.is_complex
  formats = _FORMATS + (_FRACTION_FORMATS if fractions or dtype == tf.string else ())
  yield Group(name, f"{dtype.name} as text.",
              [Probe("AsString", [values], {"T": dtype, **f}) for f in formats] +
              [Probe("AsString", [op_values.plain(s, dtype, np.random.RandomState(1))],
                     {"T": dtype}) for s in ((), (0,), (2, 0), (2, 1, 2, 1, 2))])
  wrong = ({"fill": "x"}, {"fill": "00"}, {"scientific": True, "shortest": True})
  wrong += () if fractions or dtype == tf.string else _FRACTION_FORMATS
  yield Group(f"{name}/wrong", f"{dtype.name} in forms it does not have.",
              [Probe("AsString", [values], {"T": dtype, **f}, fed=True) for f in wrong])


def _as_string_wrong():
  return Group("ops/AsString/ends", "The ends of the integers as text.",
               [Probe("AsString", [_ints([np.iinfo(d.as_numpy_dtype).min,
                                          np.iinfo(d.as_numpy_dtype).max], d)], {"T": d})
                for d in (tf.int64, tf.uint64, tf.int8, tf.uint32)])


def _join():
  def probe(*inputs, separator="", fed=None):
    return Probe("StringJoin", [_texts(i) for i in inputs],
                 {"N": len(inputs), "separator": separator}, fed=fed)

  yield Group("ops/StringJoin", "Texts joined, scalars to every element.", [
      probe(), probe("a"), probe(["a", "b"]), probe("a", "b"), probe("a", ["b", "c"]),
      probe(["a", "b"], "c", ["d", ""], separator=", "), probe("a", "b", "", separator="\0"),
      probe([[["a"], ["b"]]], [[["c"], ["d"]]], separator="é"), probe([], "a"), probe([[]], [[]]),
      probe([[[[["x", b"\xff"]]]]], "y"),
  ])
  yield Group("ops/StringJoin/wrong", "Texts of shapes that differ.", [
      probe(["a"], ["b", "c"], fed=True), probe([["a", "b"]], ["b", "c"], fed=True),
      probe([], ["a"], fed=True), probe("x", ["a"], ["b", "c"], fed=True),
  ])


def _reduce_join():
  random = np.random.RandomState(5)

  def probe(shape, dims, fed=None, **attrs):
    return Probe("ReduceJoin", [op_values.plain(shape, tf.string, random), _ints(dims)], attrs,
                 fed=fed)

  cases = (((2, 2), []), ((2, 2), [0]), ((2, 2), [1]), ((2, 2), [0, 1]), ((2, 2), [1, 0]),
           ((2, 3), -1), ((2, 3), [-2, 1]), ((), []), ((0, 2), [0]), ((0, 2), [1]), ((0, 2), [0, 1]),
           ((2, 3, 2), [2, 0]), ((2, 3, 2), [1]), ((1, 2, 1, 2, 3), [4, 1]), ((3,), 0))
  yield Group("ops/ReduceJoin", "Texts joined along dimensions, in the order named.",
              [probe(s, d, **a) for s, d in cases
               for a in ({}, {"keep_dims": True, "separator": "-"})])
  yield Group("ops/ReduceJoin/wrong", "Dimensions that are not there, or come twice.",
              [probe((2, 2), d, fed=True)
               for d in ([0, 0], [0, -2], 2, [2], [-3], [2**31 - 1], [-2**31], [[0]])] +
              [probe((), [0], fed=True)])


def _segment_join():
  def probe(texts, ids, count, index=tf.int32, counter=tf.int32, fed=None):
    return Probe("UnsortedSegmentJoin", [_texts(texts), _ints(ids, index), _ints(count, counter)],
                 {"Tindices": index, "Tnumsegments": counter, "separator": ","}, fed=fed)

  yield Group("ops/UnsortedSegmentJoin", "Texts joined by segment.", [
      probe(["a", "b", "c"], [0, 2, 0], 3), probe([["a", "b"], ["c", "d"]], [1, 1], 3, tf.int64),
      probe([["a", "b"], ["c", "d"]], [[0, 1], [1, 0]], 2, counter=tf.int64), probe([], [], 2),
      probe([], [], 0), probe([[["a", "b"], ["c", "d"]]], [[1, 0]], 3),
      probe(np.zeros((0, 2), object), [], 2),
  ])
  yield Group("ops/UnsortedSegmentJoin/wrong", "Segments that do not fit.", [
      probe(["a", "b", "c"], [0, 2, 0], 2, fed=True), probe(["a", "b"], [0, -1], 2, fed=True),
      probe(["a"], [0], -1, fed=True), probe(["a"], [0], 0, fed=True),
      probe(["a", "b"], [0], 1, fed=True), probe("a", 0, 2, fed=True), probe("a", [0], 2, fed=True),
      probe(["a", "b"], 0, 2, fed=True), probe(["a"], [0], [2], fed=True),
  ])


_NUMBERS = ("1", "-7", " 12", "12 ", "+5", "1e3", "1.5", "0x10", "0X1F", "0x1p3", "nan", "-inf",
            "NaN", "infinity", "Inf", "1e400", "-1e400", "2147483647", "2147483648", "-2147483648",
            "-2147483649", "9223372036854775807", "9223372036854775808", "-9223372036854775808",
            "-9223372036854775809", "4294967295", "4294967296", "18446744073709551615",
            "18446744073709551616", "1.", ".5", "1e+5", "\t5\n", "\v5\f\r", "00012", "-0", "-0.0",
            "3.4028235e38", "3.4028236e38", "0.1", "123456789.123456789", "1_0", "", "  ", "--1",
            "- 1", "+-1", "-+1", "+ 5", "+", "-", ".", "1e", "1,0", "1f", "1\0", "1d5", "٣", "0x",
            "9" * 40, "0" * 60 + "7")


def _to_number(dtype):
  def probe(text):
    return Probe("StringToNumber", [_texts(text)], {"out_type": dtype}, fed=True)

  yield Group(f"ops/StringToNumber/{dtype.name}", f"Texts that spell a {dtype.name}, or do not.",
              [probe(text) for text in _NUMBERS])
  yield Group(f"ops/StringToNumber/{dtype.name}/shapes", f"Tensors of texts to {dtype.name}.",
              [probe(["1", "2"]), probe([]), probe([[["3"]]]), probe(["1", "x"])])


_UNICODE = ("hello", "hé日本x", b"\xff\xe9a", "", b"\xe9\x80", b"a\x80b", b"\x80\x80a", "\0a", "😀b")
_RANGES = ((0, 2), (1, 100), (5, 1), (6, 1), (-1, 1), (-5, 2), (-6, 1), (2, -1), (0, 0), (5, 0),
           (1, 2**31 - 1), (2**31 - 1, 1), (-2**31, 1), (1, 1), (-2, 1), (0, -2**31))


def _length_and_substr():
  for unit in ("BYTE", "UTF8_CHAR"):

    def probe(text, at, length, index=tf.int32, fed=None, unit=unit):
      return Probe("Substr", [_texts(text), _ints(at, index), _ints(length, index)],
                   {"T": index, "unit": unit}, fed=fed)

    yield Group(f"ops/StringLength/{unit}", "How long texts are.",
                [Probe("StringLength", [_texts(v)], {"unit": unit})
                 for v in (_UNICODE, "a", [], [["ab"], ["c"]])])
    for i, text in enumerate(_UNICODE):
      yield Group(f"ops/Substr/{unit}/{i}", "Parts of a text, by position and length.",
                  [probe(text, *r, fed=True) for r in _RANGES])
    several = ((["hello", "wörld"], [1, 2], [2, 3]), (["hello", "world"], 1, 2, tf.int64),
        ("hello", [1, 2], [2, 3]), ([["ab", "cd"]], [[1], [0]], [[1], [2]]),
        ([["abc", "def"]], [0, 1], [1, 1]), ([], [0], [1]), ([], 0, 1),
        ([[["abc"]]], 1, 1), ([[[[["abc"]]]]], [[[[[1]]]]], [[[[[2]]]]]),
        ("hello", 2**31 + 5, 1, tf.int64),
        ("hello", 1, 2**62, tf.int64))
    yield Group(f"ops/Substr/{unit}/shapes", "Parts of several texts.",
                [probe(*p, fed=True) for p in several])
    yield Group(f"ops/Substr/{unit}/wrong", "Texts, positions and lengths of shapes that differ.", [
        probe("abc", [1], 1, fed=True), probe("abc", [[1]], [1], fed=True),
        probe(["a", "b"], [0, 0, 0], [1, 1, 1], fed=True), probe(["a", "b"], [0, 2], [1, 1],
                                                                 fed=True),
    ])


_ROWS = ("1<>2<>3", " a  b c ", "", "   ", ",,x,,y,", ",", "\t\na\v b\r", "héa")


def _split():
  def probe(op, text, at, fed=None, **attrs):
    return Probe(op, [_texts(text), _texts(at)], attrs, outputs=3, fed=fed)

  for splits in (-1, 0, 1, 2, -2, 5):
    yield Group(f"ops/StringSplitV2/{splits}", "Pieces between separators, or words.",
                [probe("StringSplitV2", _ROWS, at, maxsplit=splits)
                 for at in ("", "<>", " ", ",", ",,", "longer than any")] +
                [probe("StringSplitV2", [], "", maxsplit=splits),
                 probe("StringSplitV2", [b"\0a\0"], b"\0", maxsplit=splits)])
  for skip in (True, False):
    yield Group(f"ops/StringSplit/{skip}", "Pieces between single bytes.",
                [probe("StringSplit", _ROWS, at, skip_empty=skip) for at in ("", " ", ", ", "é<")] +
                [probe("StringSplit", [], " ", skip_empty=skip)])
  for op in ("StringSplit", "StringSplitV2"):
    yield Group(f"ops/{op}/wrong", "Texts that are no vector, separators that are no scalar.", [
        probe(op, "a b", " ", fed=True), probe(op, [["a"]], " ", fed=True),
        probe(op, ["a"], [","], fed=True), probe(op, ["a"], [",", ";"], fed=True),
        probe(op, ["a"], [], fed=True),
    ])


_BASE64 = ("", "YQ", "YQ==", "YWI", "YWI=", "YWJj", "Y", "YQ=", "YR", "YR==", "YW=", "Y===", "====",
           "=", "a+b/", "__-_", "YQ==YQ==", "Y Q", "YQ\n", "YWJjZA", "YWJjZA=", "YWJjZA==",
           "YWJ=YWJj", "YWJjZA===", "YQ===", "YWJjY", b"\xff\xff", "YW\0=")


def _one_to_one():
  for op, attrs in (("StringLower", {}), ("StringUpper", {}), ("StringStrip", {}),
                    ("EncodeBase64", {}), ("EncodeBase64", {"pad": True})):
    texts = ["aBÉß", b"\xff\xfeA", "", " a b ", _SPACES + b"x", "  ", "\0 a", b"\xa0a", " a\0 ",
             b"\x1fa\x1c", "abcd", "[`{@Zz"]
    yield Group(f"ops/{op}/{'-'.join(attrs) or 'plain'}", f"{op} of texts.",
                [Probe(op, [_texts(v)], attrs) for v in (texts, "Ab", [], [["x"], [" Y"]])])
  ascii_only = _texts(["aBc", "", "[`{@Zz"])
  for op in ("StringLower", "StringUpper"):
    yield Group(f"ops/{op}/encodings", f"{op} of ASCII in encodings, known and not.",
                [Probe(op, [ascii_only], {"encoding": e}, fed=True) for e in ("utf-8", "latin1")])
    yield Group(f"differs/{op}/utf-8", "Other letters than ASCII's are not known here.",
                [Probe(op, [_texts(["É"])], {"encoding": "utf-8"}, fed=True)])
  yield Group("ops/DecodeBase64", "Texts in base 64, and what only looks so.",
              [Probe("DecodeBase64", [_texts(v)], fed=True) for v in _BASE64] +
              [Probe("DecodeBase64", [_texts(v)]) for v in ([], [["YQ"], ["YWI="]])])


def _buckets():
  lengths = (*range(20), 31, 32, 33, 63, 64, 65, 127, 128, 129, 300)
  texts = [b"xyz" * (n // 3) + b"x" * (n % 3) for n in lengths] + [bytes(range(256)), "\u00e4\u20ac".encode(), b"\0", b"a"]
  counts = (1, 2, 1000, 2**31, 2**63 - 1)
  shapes = ((), (0,), (2, 0), (1,), (2, 2))
  keys = ([5, -7], [0, 0], [2**63 - 1, -2**63])
  for op in ("StringToHashBucket", "StringToHashBucketFast"):
    yield Group(f"ops/{op}", "Texts in numbered buckets.",
                [Probe(op, [_texts(texts)], {"num_buckets": n}) for n in counts] +
                [Probe(op, [_texts(texts[:int(np.prod(s))], s)], {"num_buckets": 9}) for s in shapes])
  yield Group("ops/StringToHashBucketStrong", "Texts in numbered buckets, by keys.",
              [Probe("StringToHashBucketStrong", [_texts(texts)], {"num_buckets": n, "key": k})
               for n in counts for k in keys] +
              [Probe("StringToHashBucketStrong", [_texts(texts[:int(np.prod(s))], s)],
                     {"num_buckets": 9, "key": keys[0]}) for s in shapes])
  wrong = ({"num_buckets": 0}, {"num_buckets": -1})
  yield Group("ops/StringToHashBucket/wrong", "Numbers of buckets and keys that are none.",
              [Probe("StringToHashBucket", [_texts(["a"])], attrs, fed=True) for attrs in wrong] +
              [Probe("StringToHashBucketStrong", [_texts(["a"])], {"num_buckets": 5, "key": key},
                     fed=True) for key in ([1], [1, 2, 3], [])])


def _format():
  def probe(*inputs, fed=None, **attrs):
    types = [tf.string if i.dtype == object else tf.dtypes.as_dtype(i.dtype) for i in inputs]
    return Probe("StringFormat", list(inputs), {"T": types, **attrs}, fed=fed)

  cube = _ints(range(24)).reshape(4, 2, 3)
  yield Group("ops/StringFormat", "Tensors written into a template.", [
      probe(cube[0], template="x: {} y", placeholder="{}", summarize=1),
      probe(np.float32([1.5, 2, 3, 4, 5, 6, 7]), _texts(["a", "b c\"'\\\n\x01é"]),
            np.array(True), template="%s|%s|%s|"),
      probe(_ints(5), summarize=-1), probe(cube, summarize=-1), probe(cube, summarize=2),
      probe(cube, summarize=1), probe(cube, summarize=0),
      probe(_ints(range(40)).reshape(5, 8), summarize=2),
      probe(np.zeros((0, 2), np.int32), _texts("x"), np.complex64(1 + 2j), template="%s%s%s"),
      probe(np.zeros((2, 0), np.int32), np.zeros((0,), np.int32), template="%s %s"),
      probe(np.float32(0.1), np.float64(1e-10), np.float16(0.1), np.float64(1 / 3),
            template="%s %s %s %s"),
      probe(np.float32([np.inf, -np.inf, np.nan]), summarize=9),
      probe(_ints([1, 2]), _ints(3), template="%%s %s%", placeholder="%s"),
      probe(_ints(7), template="aaa", placeholder="aa"), probe(_ints(1), _ints(2), template="abc",
                                                              placeholder=""),
      probe(np.int8([-5]), np.uint64(2**64 - 1), np.array([True, False]), template="%s%s%s"),
  ])
  yield Group("ops/StringFormat/wrong", "Placeholders that are not as many as inputs.", [
      probe(_ints(5), template="no", fed=True), probe(_ints(5), template="%s %s", fed=True),
      probe(_ints(5), template="a", placeholder="", fed=True),
      probe(_ints(5), template="", fed=True),
  ])


def _print():
  """What is printed cannot be seen here; what comes out can."""
  g = GraphMaker()
  x, text = g.placeholder("x", tf.int32), g.placeholder("text", tf.string)
  g.add("Print", x, x, text, name="print", T=tf.int32, U=[tf.int32, tf.string], message="m ",
        first_n=2, summarize=2)
  g.add("PrintV2", text, name="v2", end="")
  g.add("PrintV2", text, name="nowhere", output_stream="nowhere")
  g.add("PrintV2", text, name="no_folder", output_stream="file:///no such folder/file")
  feeds = {"x": _ints([1, 2, 3]), "text": _texts("t\n")}
  steps = [record.Step(["print"], feeds) for _ in range(3)]
  steps += [record.Step(targets=[n], feeds=feeds) for n in ("v2", "nowhere", "no_folder")]
  steps.append(record.Step(targets=["v2"], feeds={"text": _texts(["a"])}))
  return Scenario("ops/Print", "Printing passes its input on; PrintV2 says what it cannot do.",
                  g.graph, steps)
