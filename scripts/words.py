#!/usr/bin/env python3
"""Lists words that readers of this kit do not expect: see WORDS for what to write instead.

usage: scripts/words.py [--visible] [--count] [--since COMMIT] [PATH...]

Reads the tracked files, or those below PATH. Kinds of text:

    user   what a user sees: strings of programs and pages, help texts, assignments
    page   Markdown
    name   names of modules, types, functions and constants
    note   comments and docstrings

    --visible        user and page alone
    --count          a table of numbers by crate instead of the lines
    --since COMMIT   only lines that were added or changed since COMMIT

A warning, not a rule: exit status is 0. Needs git and Python's standard library.
"""
import pathlib
import re
import subprocess
import sys
from collections import Counter

ROOT = pathlib.Path(__file__).resolve().parent.parent
# A pattern, and what to write.
WORDS = {
    r"tells?|told|telling": "say, print, report, decide, show, distinguish",
    r"stands?|stood|standing": "is, is listed, is stored",
    r"beside": "next to, in addition to, compared with",
    r"here": "on this machine, in this file",
    r"rooms?": "memory, space, folder, lab",
    r"keeps?|kept|keeping": "store, retain, save, use",
    r"shall": "must, should",
    r"apart": "separate, different",
    r"alike": "the same, equal",
    r"ow(?:e|es|ed)": "pending",
    r"mend(?:s|ed|ing)?": "repair, fix",
    r"(?:hand|hands|handed|handing) (?:up|down)": "pass",
    r"(?:come|comes|came|coming) to": "access, reach",
    r"(?:go|goes|gone|going|went) down": "walk",
    r"(?:leave|leaves|left|leaving) away": "remove, omit",
    r"lay|lays|laid": "place",
    r"strangers?": "unknown, other",
    r"neighbours?": "other process, adjacent",
    r"houses?|floors?": "crates, layers, minimum",
    r"(?:hold|holds|held|holding) against|holds? \w+ against|held \w+ against": "compare",
    r"anew": "again",
    r"makers?": "vendor",
}
# This list, and sentences of earlier versions that are still read.
SKIPPED = ("", "scripts/words.py", "common/report/src/assignment/former.rs")
# The field's own use of them; names of files, variables and elements.
ALLOWED = re.compile(
    r"""stand-?alone|stand-?in|neighbour(?:ing)?[ ]lines?|SMT[ ]neighbour|\bhere[ ]is|here-?document|
    |keep-?alive|(?:laid|lays?)[ ]out|floor\(|\.floor\b
    |[/#$.][\w-]+|\w+(?=[/?])|\{\w+\[@\]\}|-(?:kept|told)\b
    |\b(?:bytes|lines|elements|doubles|ticks|blanks|pages|steps)(?:\s|//[/!]?)+apart""",
    re.VERBOSE | re.IGNORECASE,
)
SEARCH = re.compile(rf"\b(?:{'|'.join(WORDS)})\b", re.IGNORECASE)
RUST = re.compile(
    r"""(?P<note>//[^\n]*|/\*.*?\*/)|(?P<string>\bb?r(?P<hash>\#*)".*?"(?P=hash)|\bb?"(?:\\.|[^"\\])*"|"(?:\\.|[^"\\])*")|'(?:\\.|[^\\'])'""",
    re.DOTALL,
)
SCRIPT = re.compile(
    r"""(?P<note>//[^\n]*|/\*.*?\*/|<!--.*?-->)|(?P<string>"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'|`(?:\\.|[^`\\])*`)""", re.DOTALL
)
SHELL = re.compile(r'""".*?"""|#[^\n]*|"(?:\\.|[^"\\])*"|\'[^\'\n]*\'', re.DOTALL)
NAMED = re.compile(r"\b(?:fn|struct|enum|trait|mod|const|static|type|macro_rules!)\s+(\w+)")
TEST = re.compile(r"#\[cfg\((?:test\b|[^\]]*\btest\b)[^\]]*\)\]\s*(?:#\[[^\]]*\]\s*)*")
UNSEEN = re.compile(r"(?:\.expect\(|reason\s*=|include_str!\(|include_bytes!\(|assert\w*!\([^;\"]*|panic!\(|unreachable!\()\s*$")
OPTIONS = re.compile(r"#\[derive\([^\]]*\b(?:Args|Parser|Subcommand|ValueEnum)\b")
CODE = re.compile(r"^(```|~~~).*?^\1|`[^`\n]*`|\]\([^)\n]*\)|<!--.*?-->", re.MULTILINE | re.DOTALL)


def blank(text):
    return re.sub(r"[^\n]", " ", text)


def end_of_item(text, at):
    """Past the `;` or the closing brace of the item that starts at `at`."""
    depth = 0
    for i in range(at, len(text)):
        depth += (text[i] == "{") - (text[i] == "}")
        if depth == 0 and text[i] in "};":
            return i + 1
    return len(text)


def rust(path, text):
    """(kind, offset, words) of a Rust file."""
    bare = RUST.sub(lambda found: blank(found.group()), text)
    tests, options = [], []
    for found in TEST.finditer(bare):
        tests.append((found.start(), end_of_item(bare, found.end())))
    for found in OPTIONS.finditer(bare):
        # the help text may stand above the derive
        start = text.rfind("\n\n", 0, found.start()) + 1
        options.append((start, end_of_item(bare, bare.index("]", found.start()) + 1)))
    tested = "/tests/" in path or path.endswith("tests.rs") or "/benches/" in path or "/examples/" in path
    inside = lambda at, spans: any(start <= at < end for start, end in spans)
    for found in RUST.finditer(text):
        at, words = found.start(), found.group()
        if found["note"]:
            help_text = words.startswith("///") and inside(at, options) and not inside(at, tests)
            yield "user" if help_text else "note", at, words
        elif found["string"]:
            unseen = tested or inside(at, tests) or UNSEEN.search(text, max(0, at - 200), at)
            if re.fullmatch(r'"[\w./-]*\w[-_./]\w[\w./-]*"', words):
                continue
            # names of arguments are no words
            yield "note" if unseen else "user", at, re.sub(r"\{[\w.:$#?]*\}", lambda name: blank(name.group()), words)
    for found in NAMED.finditer(bare):
        yield "name", found.start(1), re.sub(r"(?<=[a-z])(?=[A-Z])|_", " ", found[1])


def other(path, text):
    """(kind, offset, words) of files that are not Rust."""
    if path.endswith(".md"):
        yield "page", 0, CODE.sub(lambda found: blank(found.group()), text)
    elif path.endswith((".js", ".mjs", ".html", ".css")) and "/tests/" not in path:
        shown = path.startswith(("web/page", "common/report/src/template", "lab/src"))
        last = 0
        for found in SCRIPT.finditer(text):
            if path.endswith(".html") and not found["note"]:
                continue
            if path.endswith(".html"):
                yield "user", last, re.sub(r"\{[%#{].*?[%#}]\}|<[^>]*>", lambda tag: blank(tag.group()), text[last : found.start()], flags=re.DOTALL)
                last = found.end()
            words = found.group()
            # names of fields and files are no words
            key = not found["note"] and not re.search(r"\s", words) and re.search(r"\w[-_./]\w", words)
            if not key:
                words = re.sub(r"\$\{[^}]*\}", lambda part: blank(part.group()), words)
                yield "note" if found["note"] or not shown else "user", found.start(), words
        if path.endswith(".html"):
            yield "user", last, re.sub(r"\{[%#{].*?[%#}]\}|<[^>]*>", lambda tag: blank(tag.group()), text[last:], flags=re.DOTALL)
    elif path.endswith(".toml") and re.search(r"guide\.en|rubric", path):
        yield "user", 0, text
    elif path.startswith("common/events/src/") and path.endswith(".csv"):
        yield "user", 0, text
    elif path.endswith((".py", ".sh")):
        for found in SHELL.finditer(text):
            yield "note", found.start(), re.sub(r"\$\{?\w+", lambda name: blank(name.group()), found.group())


def texts(path):
    try:
        text = (ROOT / path).read_text(encoding="utf-8")
    except (UnicodeDecodeError, FileNotFoundError, IsADirectoryError):
        return
    for kind, at, words in rust(path, text) if path.endswith(".rs") else other(path, text):
        words = ALLOWED.sub(lambda found: blank(found.group()), words)
        for found in SEARCH.finditer(words):
            place = at + found.start() if kind != "name" else at
            line = text.count("\n", 0, place) + 1
            yield kind, line, found.group(), text.split("\n")[line - 1].strip()


def crate(path):
    parts = path.split("/")
    return "/".join(parts[:2]) if parts[0] == "common" and len(parts) > 3 else parts[0] if len(parts) > 1 else "."


def changed_since(commit):
    """path -> numbers of the lines that are new since `commit`."""
    new, path = {}, None
    diff = subprocess.run(["git", "diff", "-U0", commit, "--"], cwd=ROOT, check=True, stdout=subprocess.PIPE, text=True)
    for line in diff.stdout.split("\n"):
        if line.startswith("+++ "):
            path = line[6:]
        elif found := re.match(r"@@ -\S+ \+(\d+)(?:,(\d+))? @@", line):
            first, number = int(found[1]), int(found[2] or 1)
            new.setdefault(path, set()).update(range(first, first + number))
    return new


def main(words):
    visible = "--visible" in words
    count = "--count" in words
    since = None
    if "--since" in words:
        at = words.index("--since")
        if at + 1 == len(words):
            sys.exit(__doc__)
        since = changed_since(words.pop(at + 1))
    paths = [word for word in words if not word.startswith("--")]
    unknown = [word for word in words if word.startswith("--") and word not in ("--visible", "--count", "--since")]
    if unknown:
        sys.exit(__doc__)
    listed = subprocess.run(["git", "ls-files", "--", *paths], cwd=ROOT, stdout=subprocess.PIPE, text=True)
    if listed.returncode:
        sys.exit("words.py: these sources are not a git repository; nothing was read")
    numbers = Counter()
    for path in listed.stdout.split("\n"):
        if path in SKIPPED:
            continue
        for kind, line, word, text in texts(path):
            if visible and kind not in ("user", "page") or since is not None and line not in since.get(path, ()):
                continue
            numbers[crate(path), kind] += 1
            if not count:
                print(f"{path}:{line}: {kind}: {word}: {text}")
    kinds = ["user", "page"] if visible else ["user", "page", "name", "note"]
    if count:
        print(f"{'':20}" + "".join(f"{kind:>7}" for kind in kinds))
        for name in sorted({name for name, _ in numbers}):
            print(f"{name:20}" + "".join(f"{numbers[name, kind]:7}" for kind in kinds))
    totals = "".join(f"{sum(n for (_, k), n in numbers.items() if k == kind):7}" for kind in kinds)
    print(f"{'all':20}{totals}" if count else f"words.py: {sum(numbers.values())} words (warning only)")


if __name__ == "__main__":
    main(sys.argv[1:])
