#!/usr/bin/env python3
"""Checks that crates use only crates of lower layers and include no files of others, and that no
modules form a cycle.

usage: scripts/layers.py [--portable]

Needs cargo and Python's standard library. A child module may use a type of its parent. The
portable crates use no operating system. With --portable it only prints their names.
"""
import json
import os
import re
import subprocess
import sys

# The lowest layer first. A crate uses only crates listed before it.
LAYERS = [
    ("portable", "figures events memory machine cache records geometry chart report"),
    ("hardware and system", "isa system"),
    ("experiments", "latency counters papi instrument"),
    ("session", "common ladder"),
    ("tests alone", "skip"),
    ("programs", "spark cm1 mm1 mm2 mm3 dgemm ge flops avail exercises lab"),
    ("extras", "course page"),
]
ORDER = [crate for _, crates in LAYERS for crate in crates.split()]
PORTABLE = LAYERS[0][1].split()
SYSTEM_CRATES = {"libc", "perf-event", "clap"}
SYSTEM = re.compile(r"\bstd::(?:fs|env|process|net|thread|time)\b|\bcfg!?\s*\([^)\]]*\btarget_?")
ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))

LITERALS = re.compile(r"""//[^\n]*|/\*.*?\*/|\br(\#*)".*?"\1|"(?:\\.|[^"\\])*"|'(?:\\.|[^\\'])'""", re.DOTALL)
TESTS = re.compile(
    r"^( *)#\[cfg\([^\]]*\btest\b[^\]]*\)\]\s*(?:#\[[^\]]*\]\s*)*(?:[^{};]*;|.*?^\1\}$)", re.DOTALL | re.MULTILINE
)
USE = re.compile(r"\buse\s+([^;]+);")
INCLUDED = re.compile(r"""\binclude_(?:str|bytes)!\(\s*"(\.\./[^"]*)""")
MENTION = re.compile(r"(?<![\w$:])(\w+(?:::\w+)+)")


def blank(found):
    return re.sub(r"[^\n]", " ", found.group())


def code(path):
    """The file without comments, literals and tests; lines stay where they are."""
    with open(path, encoding="utf-8") as file:
        return TESTS.sub(blank, LITERALS.sub(blank, file.read()))


def leaves(tree, before=()):
    """`a::{b, c::d as e}` as ((a, b), b), ((a, c, d), e)."""
    depth, start, parts = 0, 0, []
    for i, sign in enumerate(tree):
        depth += (sign == "{") - (sign == "}")
        if sign == "," and depth == 0:
            parts.append(tree[start:i])
            start = i + 1
    for part in filter(None, map(str.strip, parts + [tree[start:]])):
        head, brace, rest = part.partition("{")
        path, _, alias = head.partition(" as ")
        segments = before + tuple(filter(None, (s.strip() for s in path.split("::"))))
        if brace:
            yield from leaves(rest[:-1], segments)
        else:
            segments = segments[:-1] if segments[-1] == "self" else segments
            yield segments, alias.strip() or segments[-1]


def modules(root):
    """The modules of a target, by their paths: (file, text, imports by name)."""
    found, waiting = {}, [((), root)]
    while waiting:
        name, path = waiting.pop()
        text = code(path)
        found[name] = path, text, {known: at for use in USE.findall(text) for at, known in leaves(use)}
        stem, folder = os.path.splitext(os.path.basename(path))[0], os.path.dirname(path)
        inside = folder if stem == "mod" or not name else os.path.join(folder, stem)
        for child in re.findall(r"\bmod\s+(\w+)\s*;", text):
            places = [os.path.join(inside, child + ".rs"), os.path.join(inside, child, "mod.rs")]
            waiting += [(name + (child,), place) for place in places if os.path.exists(place)]
    return found


def resolve(found, at, segments, seen=()):
    """The module that defines what `segments` names in the module `at`; None for other crates."""
    first = segments[0]
    if (at, segments) in seen or not (
        first in ("crate", "super", "self") or at + (first,) in found or first in found[at][2]
    ):
        return None
    for i, name in enumerate(segments):
        if name == "crate":
            at = ()
        elif name == "super":
            at = at[:-1]
        elif at + (name,) in found:
            at += (name,)
        elif name in found[at][2]:
            return resolve(found, at, found[at][2][name] + segments[i + 1 :], (*seen, (at, segments)))
        elif name != "self":
            break
    return at


def cycle(edges, trail=(), done=None):
    """One cycle among `edges` (node -> nodes) as a list of nodes, or None."""
    done = set() if done is None else done
    for node in sorted(edges.get(trail[-1], ()) if trail else edges):
        if node in trail:
            return trail[trail.index(node) :]
        if node not in done and (ring := cycle(edges, (*trail, node), done)):
            return ring
        done.add(node)
    return None


def check(root, portable):
    """Sentences on the modules of one target."""
    siblings, found = {}, modules(root)
    for name, (path, text, _) in found.items():
        if portable and (word := SYSTEM.search(text)):
            line = text.count("\n", 0, word.start()) + 1
            yield f"{os.path.relpath(path, ROOT)}:{line}: `{word.group()}` in a portable crate; use system or isa"
        plain = USE.sub(blank, text)
        paths = [at for use in USE.findall(text) for at, _ in leaves(use)]
        for segments in paths + [tuple(m.split("::")) for m in MENTION.findall(plain)]:
            target = resolve(found, name, segments)
            common = len(os.path.commonprefix([name, target])) if target is not None else 0
            if target is not None and common < min(len(name), len(target)):
                siblings.setdefault(name[:common], {}).setdefault(name[common], set()).add(target[common])
    for parent, edges in siblings.items():
        if ring := cycle(edges):
            folder = os.path.relpath(found[parent][0], ROOT)
            yield f"{folder}: its modules form a cycle: {' uses '.join((*ring, ring[0]))}"


def borrowed(crate, folders):
    """Sentences on files of other crates that the sources of `crate` include."""
    for folder, _, files in os.walk(os.path.join(crate, "src")):
        for path in (os.path.join(folder, file) for file in files if file.endswith(".rs") and file != "tests.rs"):
            with open(path, encoding="utf-8") as file:
                text = TESTS.sub(blank, file.read())
            for found in INCLUDED.finditer(text):
                whole = os.path.normpath(os.path.join(folder, found.group(1)))
                owner = max((other for other in folders if whole.startswith(other + "/")), key=len, default=crate)
                if owner != crate:
                    yield f"{os.path.relpath(path, ROOT)} includes a file of another crate; let that crate export it"


def main():
    if sys.argv[1:] == ["--portable"]:
        sys.exit(print("\n".join(PORTABLE)))
    command = ["cargo", "metadata", "--format-version", "1", "--no-deps", "--offline"]
    packages = json.loads(subprocess.run(command, cwd=ROOT, check=True, stdout=subprocess.PIPE).stdout)["packages"]
    faults = set()
    folders = [os.path.dirname(package["manifest_path"]) for package in packages]
    for package in packages:
        name = package["name"]
        faults.update(borrowed(os.path.dirname(package["manifest_path"]), folders))
        if name not in ORDER:
            faults.add(f"{name} is in no layer; add it to LAYERS in scripts/layers.py")
            continue
        for used in (d["name"] for d in package["dependencies"] if d["kind"] != "dev"):
            if used in ORDER and ORDER.index(used) >= ORDER.index(name):
                faults.add(f"{name} uses {used}, which is in a higher layer")
            if used in SYSTEM_CRATES and name in PORTABLE:
                faults.add(f"{name} is portable and must not use {used}")
        for target in package["targets"]:
            if {"lib", "rlib", "bin"} & set(target["kind"]):
                faults.update(check(target["src_path"], name in PORTABLE))
    print("\n".join(sorted(faults)) or f"{len(packages)} crates use only lower layers, and no modules form a cycle")
    sys.exit(bool(faults))


main()
