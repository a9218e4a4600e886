#!/usr/bin/env python3
"""Makes the documentation site from the handouts and pages, with mdBook.

usage: site.py FOLDER

Writes the site into FOLDER (open FOLDER/index.html). Needs mdBook 0.5 and Python's standard library.
"""
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
# Title and page; a title without a page begins a part.
CHAPTERS = [
    ("The kit", "README.md"),
    ("Handouts", None),
    ("spark", "spark/README.md"),
    ("cm1", "cm1/README.md"),
    ("mm1", "mm1/README.md"),
    ("mm2", "mm2/README.md"),
    ("mm3", "mm3/README.md"),
    ("ge1 to ge7", "ge/README.md"),
    ("dgemm", "dgemm/README.md"),
    ("flops", "flops/README.md"),
    ("exercises", "exercises/README.md"),
    ("avail", "avail/README.md"),
    ("lab", "lab/README.md"),
    ("To read", None),
    ("Background", "docs/background.md"),
    ("Glossary", "common/src/glossary.md"),
    ("For instructors", None),
    ("A term in order", "docs/instructors.md"),
    ("How lab discover works", "docs/how-discover-works.md"),
    ("A lab of machines", "scripts/room/README.md"),
    ("Scripts", "scripts/README.md"),
    ("The lab in a browser", "web/README.md"),
    ("Security", "SECURITY.md"),
    ("For contributors", None),
    ("Contributing", "CONTRIBUTING.md"),
    ("What the cache model costs", "docs/model-cost.md"),
    ("What happens under faults", "docs/faults.md"),
    ("Fuzzing", "fuzz/README.md"),
    ("Changes", "CHANGELOG.md"),
]
CONFIGURATION = """[book]
title = "Cache lab kit"
language = "en"
src = "src"
[output.html]
no-section-label = true
print.enable = false
[output.html.search]
heading-split-level = 2
"""
LINK = re.compile(r"(?<!!)\[((?:[^\]\[`]|`[^`]*`|\[[^\]]*\])*)\]\(([^)\s]+)\)")
LATENCIES = "<!-- latencies -->\n"


def page_of(path):
    """The chapter that a link to a file or folder leads to, if any."""
    for candidate in (path, f"{path}/README.md"):
        if any(candidate == page for _, page in CHAPTERS):
            return candidate
    return None


def site_path(page):
    return page.replace("README.md", "index.md")


def rewritten(text, page):
    """Links to other chapters lead to their pages; links to files that the site lacks are text."""
    folder = os.path.dirname(page)

    def link(found):
        name, target = found.groups()
        path, _, fragment = target.partition("#")
        if "://" in target or not path:
            return found.group()
        chapter = page_of(os.path.normpath(os.path.join(folder, path)))
        if not chapter:
            return name
        place = os.path.relpath(site_path(chapter), folder or ".")
        return f"[{name}]({place}{'#' + fragment if fragment else ''})"

    return LINK.sub(link, text)


def assemble(book):
    summary = ["# Summary", ""]
    for title, page in CHAPTERS:
        if page is None:
            summary += ["", f"# {title}", ""]
            continue
        summary.append(f"- [{title}]({site_path(page)})")
        text = (ROOT / page).read_text(encoding="utf-8")
        text = re.sub(r"^<!-- /?not for students -->\n", "", text, flags=re.MULTILINE).replace(LATENCIES, "")
        if not text.startswith("#"):
            text = f"# {title}\n\n{text}"
        target = book / "src" / site_path(page)
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(rewritten(text, page), encoding="utf-8")
        for picture in re.findall(r"!\[[^\]]*\]\(([^)\s]+)\)", text):
            copy = target.parent / picture
            copy.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy((ROOT / page).parent / picture, copy)
    (book / "src" / "SUMMARY.md").write_text("\n".join(summary) + "\n", encoding="utf-8")
    (book / "book.toml").write_text(CONFIGURATION, encoding="utf-8")


def main(folder):
    if not shutil.which("mdbook"):
        sys.exit("site.py: mdbook is not installed; install it with: cargo install mdbook")
    with tempfile.TemporaryDirectory() as book:
        assemble(pathlib.Path(book))
        subprocess.run(["mdbook", "build", book, "--dest-dir", os.path.abspath(folder)], check=True)


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    main(sys.argv[1])
