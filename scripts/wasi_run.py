#!/usr/bin/env python3
"""Runs a WebAssembly program (wasm32-wasip1) as if it were one of this system.

usage: scripts/wasi_run.py PROGRAM.wasm [ARGUMENT...]

Needs the package wasmtime (pip install wasmtime). The program sees this system's
files, read only, its environment, and standard input, output and error; it exits
with its own status, or 134 if it trapped.
"""
import sys

try:
    from wasmtime import Engine, ExitTrap, Linker, Module, Store, Trap, WasiConfig
except ImportError:
    sys.exit("wasi_run.py: the package wasmtime is missing; install it with: pip install wasmtime")


def main():
    if len(sys.argv) < 2:
        sys.exit(__doc__.strip())
    store = Store(Engine())
    wasi = WasiConfig()
    wasi.argv = sys.argv[1:]
    wasi.inherit_env()
    wasi.inherit_stdin()
    wasi.inherit_stdout()
    wasi.inherit_stderr()
    wasi.preopen_dir("/", "/", False)
    store.set_wasi(wasi)
    linker = Linker(store.engine)
    linker.define_wasi()
    program = linker.instantiate(store, Module.from_file(store.engine, sys.argv[1]))
    try:
        program.exports(store)["_start"](store)
    except ExitTrap as exit:
        return exit.code
    except Trap as trap:
        print(f"wasi_run.py: {trap}", file=sys.stderr)
        return 134
    return 0


if __name__ == "__main__":
    sys.exit(main())
