#!/usr/bin/env python3
"""Packs the page of `tagflow explore`: make_page.py OUT.cc PAGE.html STYLE.css SCRIPT.js...

The page's own policy allows this style and this script, by their hashes, and nothing else. The
result is C++: the text before the data, and the text behind it.
"""

import base64
import hashlib
import pathlib
import sys

_STRICT = '"use strict";\n'
_PIECE = 8000  # characters of a literal, well below what a compiler must take


def source_hash(text):
    digest = hashlib.sha256(text.encode("utf-8")).digest()
    return f"'sha256-{base64.b64encode(digest).decode()}'"


def page_of(page, style, scripts):
    script = _STRICT + "\n".join(text.removeprefix(_STRICT) for text in scripts)
    assert "</" not in style and "</script" not in script and "<!--" not in script
    return (page.replace("@SCRIPT_HASH@", source_hash(script))
            .replace("@STYLE_HASH@", source_hash(style))
            .replace("@STYLE@", style).replace("@SCRIPT@", script))


def literal(text):
    pieces = [text[i:i + _PIECE] for i in range(0, len(text), _PIECE)]
    return "\n".join(f'R"page({piece})page"' for piece in pieces)


def main(out, page, style, *scripts):
    read = [pathlib.Path(path).read_text(encoding="utf-8") for path in (page, style, *scripts)]
    before, after = page_of(read[0], read[1], read[2:]).split("@DATA@")
    pathlib.Path(out).write_text(f"""\
#include "cli/explore/page.h"

namespace tagflow::cli {{

std::string PageWith(const std::string& json) {{
  static const char* const kBefore =
{literal(before)};
  static const char* const kAfter =
{literal(after)};
  return kBefore + json + kAfter;
}}

}}  // namespace tagflow::cli
""", encoding="utf-8")


if __name__ == "__main__":
    main(*sys.argv[1:])
