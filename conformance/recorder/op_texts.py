"""Groups for ops that search texts, join runs of them, and read and write encodings.

Left out: UnicodeDecodeWithOffsets with splits of int32, which ends TensorFlow's process.
"""

import numpy as np
import op_values
from op_probe import Group
from op_probe import Probe
from op_probe import tf


def groups():
  """All groups, in a fixed order."""
  yield from _regex()
  yield from _ngrams()
  yield from _decode()
  yield from _encode()
  yield from _transcode()
  yield from _script()


def _texts(values):
  return op_values.array(values, tf.string)


def _ints(values, dtype=tf.int64):
  return np.array(values, dtype.as_numpy_dtype)


_SEARCHED = ["", "abc", "aaa bbb", "héé", "日本", b"a\xffb", b"\0a", "line\nline", "A-1, B-22",
             "x" * 300]
# Pattern and rewrite.
_PATTERNS = (("a", "b"), ("", "-"), ("b*", "-"), (".", r"\0\0"), (r"(\w)(\w)", r"\2\1"), (r"\d+", ""),
             ("^|$", "|"), (r"\bl", "L"), ("(?i)a", "_"), ("é", "e"), (r"\C", "."), ("a|ab|abc", "X"),
             ("(a+?)(b*)", r"<\1|\2>"), ("a", r"\1"), ("(a)", r"\2"), ("a", "x\\"), ("a", r"\x"),
             (r"\pL+", r"[\0]"), ("[^a]", "é"), ("(?s).*", "all"), ("(?m)^line", "L"), (r"\0", "0"),
             ("x{1,9}", "y"), (r"\x{65e5}", "n"))
_NO_PATTERNS = ("(", ")", "[", "*", "a**", "a{1001}", "((a{100}){100}){100}", r"((\pL{100}){10})*",
                r"\1", "(?=a)", "(?P<a>b)(?P<a>c)", "\\", "[b-a]", "x{2}{3}", r"\8", "(?i", "[[:no:]]")


def _regex():
  for every in (True, False):
    attrs = {"replace_global": every}
    yield Group(f"ops/RegexReplace/{every}", "Texts rewritten where a pattern matches.",
                [Probe("RegexReplace", [_texts(_SEARCHED), _texts(p), _texts(r)], attrs)
                 for p, r in _PATTERNS] +
                [Probe("RegexReplace", [_texts(t), _texts("a"), _texts("b")], attrs)
                 for t in ("a", [], [["a"], ["b"]], [[]])])
    yield Group(f"ops/StaticRegexReplace/{every}", "The same by patterns of the graph.",
                [Probe("StaticRegexReplace", [_texts(t)], {"pattern": p, "rewrite": r, **attrs})
                 for p, r in _PATTERNS for t in (_SEARCHED, "aab")])
  yield Group("ops/RegexFullMatch", "Whether patterns match whole texts.",
              [Probe("RegexFullMatch", [_texts(t), _texts(p)]) for p, _ in _PATTERNS
               for t in (_SEARCHED, "abc", [])])
  yield Group("ops/StaticRegexFullMatch", "The same by patterns of the graph.",
              [Probe("StaticRegexFullMatch", [_texts(t)], {"pattern": p}) for p, _ in _PATTERNS
               for t in (_SEARCHED, "abc", [[]])])
  yield Group("ops/RegexReplace/wrong", "What is no pattern, and shapes that are not those.",
              [Probe("RegexReplace", [_texts(["a"]), _texts(p), _texts("b")], fed=True)
               for p in _NO_PATTERNS + (["a"], [], ["a", "b"])] +
              [Probe("RegexReplace", [_texts(["a"]), _texts("a"), _texts(["b"])], fed=True),
               Probe("RegexReplace", [_texts([]), _texts("("), _texts("b")], fed=True),
               Probe("RegexReplace", [_texts("a"), _texts(b"\xff"), _texts("b")], fed=True)])
  yield Group("ops/RegexFullMatch/wrong", "What is no pattern, and shapes that are not those.",
              [Probe("RegexFullMatch", [_texts(["a"]), _texts(p)], fed=True)
               for p in _NO_PATTERNS + (["a"], [])])
  for pattern in ("(", "a{1001}"):
    yield Group(f"ops/StaticRegexReplace/wrong/{len(pattern)}", "What is no pattern.",
                [Probe("StaticRegexReplace", [_texts(["a"])], {"pattern": pattern, "rewrite": "b"},
                       fed=True)])
    yield Group(f"ops/StaticRegexFullMatch/wrong/{len(pattern)}", "What is no pattern.",
                [Probe("StaticRegexFullMatch", [_texts(["a"])], {"pattern": pattern}, fed=True)])


def _ngrams():
  def probe(texts, splits, widths, pad=0, keeps=False, dtype=tf.int64, fed=None, pads=("L", "R"),
            separator="-"):
    return Probe("StringNGrams", [_texts(texts), _ints(splits, dtype)],
                 {"separator": separator, "ngram_widths": widths, "left_pad": pads[0],
                  "right_pad": pads[1], "pad_width": pad, "preserve_short_sequences": keeps,
                  "Tsplits": dtype}, outputs=2, fed=fed)

  words = ["aa", "b", "", "dé", b"\0", "f"]
  for dtype in (tf.int32, tf.int64):
    for keeps in (False, True):
      yield Group(f"ops/StringNGrams/{dtype.name}/{keeps}", "Runs of texts, joined.",
                  [probe(words, s, w, p, keeps, dtype)
                   for s in ([0, 6], [0, 0, 1, 1, 3, 6, 6]) for w in ([1], [2], [3, 1], [7, 2], [9])
                   for p in (0, 1, 2, 5, -1, -7)] +
                  [probe(words, [0, 2, 6], [], p, keeps, dtype) for p in (0, 1)])
  yield Group("ops/StringNGrams/ends", "Runs of nothing, and without any rows.",
              [probe([], s, [2], p, k) for s in ([0], [0, 0], []) for p in (0, -1)
               for k in (False, True)] +
              [probe(["a", "b"], [], [2], -1, True), probe(["a", "b"], [0, 2], [2], -1, pads=("", "")),
               probe(["a", "b"], [0, 2], [1, 2], 1, separator=""),
               probe(["a", "b"], [0, 2], [2] * 5, 1, separator="é")])
  wrong = ((["a"], [1, 1], [1]), (["a"], [0, 2], [1]), (["a"], [0], [1]), (["a", "b"], [0, 2, 1, 2], [1]),
           (["a", "b"], [0, -1, 2], [1]), (["a"], [0, 1], [0]), (["a"], [0, 1], [2, -1]),
           (["a"], [0, 1], [2**31 - 1], -1), (["a"], [0, 1], [], -1, True), ([], [1], [2]),
           ([], [0, 0], [0]), (["a"], 0, [1]))
  yield Group("ops/StringNGrams/wrong", "Splits and widths that do not fit.",
              [probe(*w, fed=True) for w in wrong])
  yield Group("differs/StringNGrams/ranks", "Texts or splits that are no vectors.",
              [probe(t, s, [1], fed=True) for t, s in (("a", [0, 1]), ([["a"]], [0, 1]),
                                                       (["a"], [[0, 1]]))])


_ENCODED = ["", "abc", "héé", "日本", "😀z", "\0\x1f \x7f", b"\xff", b"a\xe2\x82z", b"\xf0\x9f", b"\xf0",
            b"\xed\xa0\x80", b"\xc0\x80", b"\xf4\x90\x80\x80", b"\xe0\x80\x80", b"\x80\x80a",
            b"\xf0\x9f\x98a\xf0\x9f\x98\x80", b"\xc3", b"\xfe\xff\0a", b"\xff\xfea\0", b"\0a\0",
            b"\xd8\x3d\xde\0", b"\xd8\0\0a", b"\xef\xbb\xbfa", b"\xef\xbf\xbf", bytes(range(256)),
            b"\xc2\x41", b"\xe1\xa0\xc0", b"\xf8\x88\x80\x80\x80", b"\0\0\0a", b"\0\x11\0\0"]
_ENCODINGS = ("UTF-8", "utf8", "UTF-16BE", "UTF-16LE", "UTF-16", "UTF-32BE", "UTF-32LE", "UTF-32",
              "ISO-8859-1", "US-ASCII", "windows-1252", "KOI8-R", "Shift_JIS", "EUC-JP", "GB18030",
              "Big5", "UTF-7", "CESU-8", "SCSU", "ISO-2022-JP")
_POLICIES = ({}, {"errors": "ignore"}, {"replacement_char": 63}, {"replace_control_characters": True},
             {"replace_control_characters": True, "errors": "ignore"}, {"replacement_char": 0x1f600},
             {"replacement_char": 0xd800})
_STRICT = ({"errors": "strict"}, {"errors": "strict", "replace_control_characters": True})
_WRONG = ({"input_encoding": "nonsense"}, {"input_encoding": ""}, {"replacement_char": -1},
          {"replacement_char": 0x110000})


def _decode():
  for op, outputs in (("UnicodeDecode", 2), ("UnicodeDecodeWithOffsets", 3)):

    def probe(texts, fed=None, op=op, outputs=outputs, **attrs):
      return Probe(op, [_texts(texts)], {"input_encoding": "UTF-8", "Tsplits": tf.int64, **attrs},
                   outputs=outputs, fed=fed)

    for encoding in _ENCODINGS:
      yield Group(f"ops/{op}/{encoding}", f"The code points of texts in {encoding}.",
                  [probe([t], input_encoding=encoding) for t in _ENCODED] +
                  [probe(["abcd", "efgh"], input_encoding=encoding)])
    yield Group(f"ops/{op}/policies", "What is done about malformed texts.",
                [probe(_ENCODED, **p) for p in _POLICIES] +
                [probe([t], fed=True, **p) for p in _STRICT for t in _ENCODED])
    yield Group(f"ops/{op}/shapes", "The code points of tensors of texts.",
                [probe(t, Tsplits=d) for d in (tf.int32, tf.int64)[outputs - 2:]
                 for t in ("abé", [], [[]], [["a"], ["bé"]], [[["x"]]])])
    for i, attrs in enumerate(_WRONG):
      yield Group(f"ops/{op}/wrong/{i}", "Encodings and replacements that are none.",
                  [probe(["a"], fed=True, **attrs)])


def _encode():
  def probe(values, splits, dtype=tf.int64, fed=None, **attrs):
    return Probe("UnicodeEncode", [_ints(values, tf.int32), _ints(splits, dtype)],
                 {"output_encoding": "UTF-8", "Tsplits": dtype, **attrs}, fed=fed)

  points = [97, 0, 0x7f, 0x80, 0x7ff, 0x800, 0xfffd, 0xffff, 0x10000, 0x10ffff, 0xfdd0, -1, 0xd800,
            0xdfff, 0xdc00, 0x110000, 2**31 - 1, -2**31, 98]
  for encoding in ("UTF-8", "UTF-16-BE", "UTF-32-BE"):
    yield Group(f"ops/UnicodeEncode/{encoding}", f"Texts in {encoding} of code points.",
                [probe(points, [0, len(points)], output_encoding=encoding, **p)
                 for p in ({}, {"errors": "ignore"}, {"replacement_char": 63},
                           {"replacement_char": 0xd800}, {"replacement_char": 0x1f600})] +
                [probe([p], [0, 1], output_encoding=encoding, errors="strict", fed=True)
                 for p in points] +
                [probe(points[:6], s, d, output_encoding=encoding) for d in (tf.int32, tf.int64)
                 for s in ([0, 6], [0, 0, 2, 6, 6])] +
                [probe([], s, output_encoding=encoding) for s in ([0], [0, 0])])
  wrong = (([97], []), ([97], [1, 1]), ([97], [0, 2]), ([97, 98], [0, 2, 1, 2]), ([97], [0]),
           ([97], 0), ([[97]], [0, 1]), ([97], [[0, 1]]), (97, [0, 1]), ([97], [0, -1, 1]),
           ([97], [0, 5, 1]))
  yield Group("ops/UnicodeEncode/wrong", "Splits that do not fit.", [probe(*w, fed=True) for w in wrong])
  for i, replacement in enumerate((-1, 0x110000)):
    yield Group(f"ops/UnicodeEncode/wrong/{i}", "Replacements that are none.",
                [probe([97], [0, 1], replacement_char=replacement, fed=True)])


def _transcode():
  def probe(texts, fed=None, **attrs):
    return Probe("UnicodeTranscode", [_texts(texts)],
                 {"input_encoding": "UTF-8", "output_encoding": "UTF-8", **attrs}, fed=fed)

  for target in ("UTF-8", "UTF-16-BE", "UTF-32-BE"):
    yield Group(f"ops/UnicodeTranscode/{target}", f"Texts in {target} instead.",
                [probe(_ENCODED, output_encoding=target, **p) for p in _POLICIES] +
                [probe([t], output_encoding=target, fed=True, **p) for p in _STRICT
                 for t in _ENCODED] +
                [probe([t], output_encoding=target, input_encoding=e) for e in _ENCODINGS
                 for t in _ENCODED[:7]])
  yield Group("ops/UnicodeTranscode/shapes", "Tensors of texts in another encoding.",
              [probe(t) for t in ("abé", [], [[]], [["a"], ["bé"]])])
  for i, attrs in enumerate(_WRONG):
    yield Group(f"ops/UnicodeTranscode/wrong/{i}", "Encodings and replacements that are none.",
                [probe(["a"], fed=True, **attrs)])


def _script():
  points = [0, 65, 97, 233, 0x370, 0x416, 0x5d0, 0x627, 0x905, 0xe01, 0x1100, 0x3042, 0x30a2, 0x4e00,
            0xac00, 0x1f600, 0x301, 0x378, 0xd800, 0xe000, 0x10ffff, 0x110000, -1, 2**31 - 1, -2**31]

  def probe(values):
    return Probe("UnicodeScript", [_ints(values, tf.int32)])

  yield Group("ops/UnicodeScript", "The scripts of code points.",
              [probe(points), probe(97), probe([]), probe([[97], [233]]),
               probe(list(range(0, 0x370)))])
  yield Group("differs/UnicodeScript/later", "Scripts that TensorFlow's ICU does not know yet.",
              [probe([0x11f00, 0x1e4d0])])
