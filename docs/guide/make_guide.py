#!/usr/bin/env python3
"""Makes the guide's page: make_guide.py GUIDE.md OUT.html, where the root of the tree is.

The text is Markdown. What is special:

  ```python file=NAME    the file is written, for the commands that follow
  ```sh                  each line "$ COMMAND" is run, and what it prints stands under it; one that
                         ends in "# exit N" must end with that code, others with 0
  ![CAPTION](WORDS | N)  a picture of the page of `tagflow explore WORDS` after N firings, or at the end
"""

import base64
import html
import os
import pathlib
import re
import subprocess
import sys
import tempfile

import markdown

ROOT = pathlib.Path.cwd()
sys.path.insert(0, str(ROOT / "cli/explore"))
from chromium import Chromium  # noqa: E402  (of the tree)

STYLE = """
body { max-width: 46rem; margin: 2rem auto; padding: 0 1rem; font: 16px/1.55 system-ui, sans-serif;
  color: #1c1e21; background: #fff; }
pre { background: #f4f6f8; padding: 0.7rem 1rem; overflow-x: auto; border-radius: 6px; font-size: 13.5px; }
code { background: #f4f6f8; border-radius: 3px; } pre code { background: none; }
pre .command { font-weight: 600; } figure { margin: 1.5rem 0; }
figure img { max-width: 100%; border: 1px solid #c9ced6; border-radius: 6px; }
figcaption { color: #5d646e; }
@media (prefers-color-scheme: dark) {
  body { color: #e6e8eb; background: #15171a; } pre, code { background: #20242a; }
  a { color: #6cb2ff; }
}
"""

FENCE = re.compile(r"^```(\w+)(?: file=(\S+))?\n(.*?)^```\n", re.MULTILINE | re.DOTALL)
PICTURE = re.compile(r"^!\[(.*?)\]\((.*?) \| (\w+)\)$", re.MULTILINE)


class Maker:
    """Runs what the guide says, in a folder of its own."""

    def __init__(self, folder):
        self.folder = pathlib.Path(folder)
        tools = self.folder / "bin"
        tools.mkdir()
        python = tools / "python"  # a script, since an environment is known by its path
        python.write_text(f'#!/bin/sh\nexec {sys.executable} "$@"\n', encoding="utf-8")
        python.chmod(0o755)
        (tools / "tagflow").symlink_to(ROOT / "cli/tagflow")
        (self.folder / "cases").symlink_to(ROOT / "conformance/cases")
        self.environment = dict(
            os.environ, PATH=f"{tools}:{os.environ['PATH']}", PYTHONPATH=str(ROOT / "python"),
            PYTHONDONTWRITEBYTECODE="1", TAGFLOW_COMMAND=str(ROOT / "cli/tagflow"))

    def run(self, command):
        """What a command prints."""
        command, _, code = command.partition("  # exit ")
        done = subprocess.run(["bash", "-c", command], cwd=self.folder, env=self.environment, text=True,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
        if done.returncode != int(code or 0):
            sys.exit(f"{command}\nended with {done.returncode}, not {code or 0}:\n{done.stdout}")
        return command, done.stdout

    def block(self, match):
        """A fenced block as HTML."""
        language, file, text = match.groups()
        if file:
            (self.folder / file).write_text(text, encoding="utf-8")
            return f"<p><code>{html.escape(file)}</code></p>\n<pre>{html.escape(text)}</pre>\n"
        if language != "sh":
            return f"<pre>{html.escape(text)}</pre>\n"
        lines = []
        for line in text.splitlines():
            command, said = self.run(line.removeprefix("$ "))
            lines.append(f'<span class="command">$ {html.escape(command)}</span>\n{html.escape(said)}')
        return f"<pre>{''.join(lines)}</pre>\n"

    def picture(self, match):
        """A picture of a page, as HTML."""
        caption, words, place = match.groups()
        page = self.folder / "page.html"
        self.run(f"tagflow explore {words} -o {page}")
        with Chromium(1100, 560) as browser:
            browser.open(page)
            if place == "end":
                browser.press("End")
            else:
                browser.run(f"(() => {{ const s = document.getElementById('slider'); s.value = {place};"
                            "s.dispatchEvent(new Event('input')); })()")
            shot = self.folder / "shot.png"
            browser.screenshot(shot)
        data = base64.b64encode(shot.read_bytes()).decode()
        return (f'<figure><img alt="{html.escape(caption)}" src="data:image/png;base64,{data}">'
                f"<figcaption>{html.escape(caption)}</figcaption></figure>\n")


def main(source, out):
    text = pathlib.Path(source).read_text(encoding="utf-8")
    with tempfile.TemporaryDirectory() as folder:
        maker = Maker(folder)
        # In the order of the text: a picture may need what a command before it wrote.
        special = re.compile(f"{FENCE.pattern}|{PICTURE.pattern}", re.MULTILINE | re.DOTALL)

        def replaced(match):
            found = match.group(0)
            if found.startswith("```"):
                return maker.block(FENCE.match(found))
            return maker.picture(PICTURE.match(found))

        body = markdown.markdown(special.sub(replaced, text))
    title = text.splitlines()[0].lstrip("# ")
    pathlib.Path(out).write_text(
        f'<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        f'<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{html.escape(title)}</title>\n<style>{STYLE}</style>\n</head>\n<body>\n{body}\n</body>\n"
        "</html>\n", encoding="utf-8")


if __name__ == "__main__":
    main(*sys.argv[1:])
