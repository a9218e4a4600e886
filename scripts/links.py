#!/usr/bin/env python3
"""Checks that links between the pages lead somewhere: files, folders and headings.

usage: links.py

Reads the Markdown files of this checkout or kit. Links to the internet are not tried. Prints
each dead link and exits 1 if there is one.
Needs Python's standard library alone.
"""
import pathlib
import re
import sys
from urllib.parse import unquote, urlsplit

SKIPPED = {".git", "target", "vendor", "report", "node_modules"}
LINK = re.compile(r"\[(?:[^\]\[]|\[[^\]]*\])*\]\(\s*<?([^)\s>]+)")
FENCE = re.compile(r"^(```|~~~).*?^\1", re.MULTILINE | re.DOTALL)


def markdown(text):
    """The links of a page and the anchors of its headings, as GitHub makes them."""
    text = FENCE.sub("", text)
    headings = [re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", line) for line in re.findall(r"^#+ +(.*?)#* *$", text, re.MULTILINE)]
    anchors = {re.sub(r"[^\w\- ]", "", heading).strip().lower().replace(" ", "-") for heading in headings}
    return LINK.findall(re.sub(r"`[^`\n]*`", "", text)), anchors


def main():
    root = pathlib.Path(__file__).resolve().parent.parent
    files = [
        path for path in sorted(root.rglob("*.md"))
        if not SKIPPED.intersection(path.relative_to(root).parts[:-1])
    ]
    pages = {path.resolve(): markdown(path.read_text(encoding="utf-8")) for path in files}
    dead, number = [], 0
    for path, (links, _) in pages.items():
        for link in links:
            parts = urlsplit(link)
            # GitHub's own pages of the repository are no files of it.
            if parts.scheme or parts.netloc or re.match(r"\.\./\.\./(actions|releases)/", link):
                continue
            number += 1
            start = root.resolve() if parts.path.startswith("/") else path.parent
            target = (start / unquote(parts.path).lstrip("/")).resolve() if parts.path else path
            anchors = pages.get(target, (None, None))[1]
            if not target.exists():
                dead.append(f"{path.relative_to(root.resolve())}: there is no '{link}'")
            elif parts.fragment and anchors is not None and unquote(parts.fragment) not in anchors:
                dead.append(f"{path.relative_to(root.resolve())}: '{link}' names a heading that is not there")
    print("\n".join(dead) or f"{number} links in {len(pages)} pages lead somewhere")
    sys.exit(bool(dead))


if __name__ == "__main__":
    main()
