#!/usr/bin/env python3
"""Checks that crates and modules use only those of lower layers.

usage: scripts/layers.py [--portable]

Needs cargo and Python's standard library. Prints file and line of each use of a
higher layer, of each circle of modules within a crate (a module that uses what
its parent's own file defines makes one with it), and of each use of the operating
system in a portable crate; exit 1 then.
With --portable it only prints the names of those crates.
"""
import json
import os
import re
import subprocess
import sys
from collections import namedtuple

# The lowest layer first. A crate uses only crates listed before it.
LAYERS = [
    ("portable", "figures seal events memory machine trace cache records infer discover chart report"),
    ("hardware and system", "isa system threads"),
    ("experiments", "latency counters papi"),
    ("session", "common"),
    ("tests alone", "skip"),
    ("programs", "spark cm1 mm1 mm2 mm3 dgemm ge flops avail exercises web causes lab fuzz"),
]
# Crates of one layer that must not use each other.
INDEPENDENT = {("chart", "records")}
# Modules that the portable crates must not use.
SYSTEM_CRATES = {"libc", "perf-event", "clap"}
SYSTEM_WORDS = re.compile(r"\bstd::(?:fs|env|process|net|thread|time)\b|\bcfg!?\s*\([^)\]]*\btarget_?")
GROUPED_STD = re.compile(r"\buse\s+std::\{[^;]*?\b(fs|env|process|net|thread|time)\b")

ORDER = [crate for _, crates in LAYERS for crate in crates.split()]
LAYER_OF = {crate: layer for layer, crates in LAYERS for crate in crates.split()}
ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))

File = namedtuple("File", "path text imports")  # text: code alone; imports: name -> path
faults = []


def fault(path, line, sentence):
    faults.append(f"{os.path.relpath(path, ROOT)}:{line}: {sentence}")


def line_of(text, at):
    return text.count("\n", 0, at) + 1


# --- Reads Rust text, as far as is needed

LITERALS = re.compile(
    r"""//[^\n]*|/\*.*?\*/|\br(\#*)".*?"\1|"(?:\\.|[^"\\])*"|'(?:\\.|[^\\'])'""", re.DOTALL
)
TEST_ITEM = re.compile(r"#\[cfg\((?:test\b|[^\]]*\btest\b)[^\]]*\)\]\s*(?:#\[[^\]]*\]\s*)*")


def blank(text):
    return re.sub(r"[^\n]", " ", text)


def end_of_item(text, at):
    """Past the `;` or the closing brace of the item that starts at `at`."""
    depth = 0
    for i in range(at, len(text)):
        if text[i] == "{":
            depth += 1
        elif text[i] == "}":
            depth -= 1
            if depth == 0:
                return i + 1
        elif text[i] == ";" and depth == 0:
            return i + 1
    return len(text)


def code(path):
    """The file without comments, literals and tests; lines stay where they are."""
    with open(path, encoding="utf-8") as file:
        text = LITERALS.sub(lambda found: blank(found.group()), file.read())
    while found := TEST_ITEM.search(text):
        end = end_of_item(text, found.end())
        text = text[: found.start()] + blank(text[found.start() : end]) + text[end:]
    return text


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
            if segments[-1] == "self":
                segments = segments[:-1]
            yield segments, alias.strip() or segments[-1]


# --- Modules of one target

USE = re.compile(r"\buse\s+([^;]+);")
MENTION = re.compile(r"(?<![\w$:])(\w+(?:::\w+)+)")
DECLARED = re.compile(r"\bmod\s+(\w+)\s*;")


def modules(root):
    """Every module of the target with the file `root`, by its path in the crate."""
    found, waiting = {}, [((), root)]
    while waiting:
        name, path = waiting.pop()
        text = code(path)
        imports = {}
        for statement in USE.finditer(text):
            for segments, known_as in leaves(statement.group(1)):
                imports[known_as] = segments
        found[name] = File(path, text, imports)
        stem, folder = os.path.splitext(os.path.basename(path))[0], os.path.dirname(path)
        inside = folder if stem == "mod" or not name else os.path.join(folder, stem)
        for child in DECLARED.findall(text):
            places = [os.path.join(inside, child + ".rs"), os.path.join(inside, child, "mod.rs")]
            waiting += [(name + (child,), place) for place in places if os.path.exists(place)]
    return found


def resolve(found, at, segments, seen=frozenset()):
    """Where what `segments` names in the module `at` is defined: the module, and the item's
    name, None if it is the module itself; (None, None) if it is another crate's. A name that
    a module only hands on is looked up where it got it."""
    if (at, segments) in seen:
        return None, None
    seen |= {(at, segments)}
    known = ("crate", "super", "self")
    if segments[0] not in known and at + segments[:1] not in found and segments[0] not in found[at].imports:
        return None, None
    for i, name in enumerate(segments):
        if name == "crate":
            at = ()
        elif name == "super":
            at = at[:-1]
        elif name == "self":
            continue
        elif at + (name,) in found:
            at += (name,)
        elif name in found[at].imports:
            return resolve(found, at, found[at].imports[name] + segments[i + 1 :], seen)
        else:
            return at, name
    return at, None


def uses(found):
    """Uses within the crate: (module, module that defines it, item, file, line)."""
    for name, file in found.items():
        paths = [(m.start(), s) for m in USE.finditer(file.text) for s, _ in leaves(m.group(1))]
        text = USE.sub(lambda statement: blank(statement.group()), file.text)
        paths += [(m.start(), tuple(m.group(1).split("::"))) for m in MENTION.finditer(text)]
        for at, segments in paths:
            target, item = resolve(found, name, segments)
            if target is not None:
                yield name, target, item, file.path, line_of(file.text, at)


def circle(edges):
    """One circle among `edges` (from -> {to: place}), as a list of nodes, or None."""
    done, trail = set(), []

    def walk(node):
        if node in trail:
            return trail[trail.index(node) :]
        if node in done:
            return None
        trail.append(node)
        for other in sorted(edges.get(node, {})):
            if ring := walk(other):
                return ring
        done.add(trail.pop())
        return None

    return next((ring for node in sorted(edges) if (ring := walk(node))), None)


def check_modules(root):
    parents, of_parent = {}, set()
    for name, target, item, path, line in uses(modules(root)):
        common = len(os.path.commonprefix([name, target]))
        if common < len(name) and common < len(target):
            edges = parents.setdefault(name[:common], {}).setdefault(name[common], {})
            edges.setdefault(target[common], (path, line))
        elif common < len(name) and item is not None and (name, item) not in of_parent:
            of_parent.add((name, item))
            module = "::".join(name)
            fault(path, line, f"{module} uses {item} of its parent; move it to a module of its own")
    for edges in parents.values():
        while ring := circle(edges):
            steps = list(zip(ring, ring[1:] + ring[:1]))
            places = [edges[a][b] for a, b in steps]
            circular = ", ".join(f"{a} uses {b} in line {line}" for (a, b), (_, line) in zip(steps, places))
            fault(*places[0], f"these modules form a cycle: {circular}; move one of them to a lower layer")
            del edges[ring[0]][ring[1]]


# --- Crates

def check_dependencies(package):
    name, manifest = package["name"], package["manifest_path"]
    with open(manifest, encoding="utf-8") as file:
        lines = file.read().split("\n")
    for used in (d["name"] for d in package["dependencies"] if d["kind"] != "dev"):
        line = next((i + 1 for i, text in enumerate(lines) if re.match(rf"{re.escape(used)}\b", text)), 1)
        if used in SYSTEM_CRATES and LAYER_OF[name] == "portable":
            fault(manifest, line, f"{name} is portable and must not know {used}; ask through the crate system")
        if used in ORDER and ORDER.index(used) >= ORDER.index(name):
            fault(manifest, line, f"{name} uses {used}, which is in a higher layer; the order is {' < '.join(ORDER)}")
        if tuple(sorted((name, used))) in INDEPENDENT:
            fault(manifest, line, f"{name} uses {used}; the two must not know each other")


def check_portable(package, root):
    for file in modules(root).values():
        found = [(m.start(), m.group()) for m in SYSTEM_WORDS.finditer(file.text)]
        found += [(m.start(), f"std::{m.group(1)}") for m in GROUPED_STD.finditer(file.text)]
        for at, word in found:
            fault(
                file.path,
                line_of(file.text, at),
                f"`{word}` in {package['name']}, which is portable; what asks the machine belongs to isa, "
                "what asks the operating system to system",
            )


def main():
    if sys.argv[1:] == ["--portable"]:
        print("\n".join(crate for crate in ORDER if LAYER_OF[crate] == "portable"))
        return 0
    if sys.argv[1:]:
        sys.exit(__doc__.strip())
    command = ["cargo", "metadata", "--format-version", "1", "--no-deps", "--offline"]
    packages = json.loads(subprocess.run(command, cwd=ROOT, check=True, stdout=subprocess.PIPE).stdout)["packages"]
    for package in packages:
        name = package["name"]
        if name not in ORDER:
            fault(package["manifest_path"], 1, f"{name} is in no layer; add it to LAYERS in scripts/layers.py")
            continue
        check_dependencies(package)
        for target in package["targets"]:
            if {"lib", "bin"} & set(target["kind"]):
                check_modules(target["src_path"])
                if LAYER_OF[name] == "portable":
                    check_portable(package, target["src_path"])
    print("\n".join(sorted(set(faults))) or f"{len(packages)} crates use only lower layers, and no modules go in circles")
    return bool(faults)


if __name__ == "__main__":
    sys.exit(main())
