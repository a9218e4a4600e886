#!/usr/bin/env python3
"""Rebuilds the extract of the vendors' event tables that the preset map is compared
with: common/events/tests/data/vendor_{events,sources}.csv.

    scripts/vendor_events.py PERFMON ARM LINUX [LINUX ...]

PERFMON  a checkout of github.com/intel/perfmon
ARM      a checkout of github.com/ARM-software/data
LINUX    a Linux source tree (a distribution's package of it will do), or one of
         tools/perf/pmu-events and drivers/perf, named by its version; of
         several, the first that has a table is taken

Only events whose code occurs in the map are stored, under every name that the
tables have for them: names, codes and unit masks, no descriptions.
"""

import csv
import json
import re
import sys
from collections import defaultdict
from datetime import datetime
from pathlib import Path

EVENTS = Path(__file__).resolve().parent.parent / "common/events"

# Family: files; the first is named as the source.
INTEL = {
    "hsw": ["HSW/events/haswell_core", "HSW/events/haswell_matrix"],
    "bdw": ["BDW/events/broadwell_core", "BDW/events/broadwell_matrix", "BDX/events/broadwellx_core"],
    "skl": ["SKL/events/skylake_core"],
    "skx": ["SKX/events/skylakex_core"],
    "clx": ["CLX/events/cascadelakex_core"],
    "icl": ["ICL/events/icelake_core"],
    "icx": ["ICX/events/icelakex_core"],
    "spr": ["SPR/events/sapphirerapids_core"],
    "emr": ["EMR/events/emeraldrapids_core"],
    "gnr": ["GNR/events/graniterapids_core"],
    "adl_glc": ["ADL/events/alderlake_goldencove_core"],
    "mtl": ["MTL/events/meteorlake_redwoodcove_core"],
    "arl": ["ARL/events/arrowlake_lioncove_core"],
    "lnl": ["LNL/events/lunarlake_lioncove_core"],
    "ptl": ["PTL/events/pantherlake_cougarcove_core"],
    "nvl": ["NVL/events/novalake_coyotecove_core"],
    "glm": ["GLM/events/goldmont_core"],
    "glp": ["GLP/events/goldmontplus_core"],
    "tnt": ["EHL/events/elkhartlake_core"],
    "adl_grt": ["ADL/events/alderlake_gracemont_core"],
    "srf": ["SRF/events/sierraforest_core"],
    "cwf": ["CWF/events/clearwaterforest_core"],
}
ARM = {
    "arm_ac53": "cortex-a53", "arm_ac55": "cortex-a55", "arm_ac57": "cortex-a57", "arm_ac72": "cortex-a72",
    "arm_ac73": "cortex-a73", "arm_ac75": "cortex-a75", "arm_ac76": "cortex-a76", "arm_ac77": "cortex-a77",
    "arm_ac78": "cortex-a78", "arm_x1": "cortex-x1", "arm_ac510": "cortex-a510", "arm_ac520": "cortex-a520",
    "arm_ac710": "cortex-a710", "arm_ac715": "cortex-a715", "arm_ac720": "cortex-a720", "arm_x2": "cortex-x2",
    "arm_x3": "cortex-x3", "arm_x4": "cortex-x4", "arm_n1": "neoverse-n1", "arm_n2": "neoverse-n2",
    "arm_n3": "neoverse-n3", "arm_v1": "neoverse-v1", "arm_v2": "neoverse-v2", "arm_v3": "neoverse-v3",
}
LINUX = {
    "amd64_fam17h_zen1": "x86/amdzen1", "amd64_fam17h_zen2": "x86/amdzen2", "amd64_fam19h_zen3": "x86/amdzen3",
    "amd64_fam19h_zen4": "x86/amdzen4", "amd64_fam1ah_zen5": "x86/amdzen5", "amd64_fam1ah_zen6": "x86/amdzen6",
    "ampere1": "arm64/ampere/ampereone", "nvidia_olympus": "arm64/nvidia/t410",
    "sifive_u74": "riscv/sifive/bullet", "sifive_p550": "riscv/sifive/p550",
}
APPLE = "drivers/perf/apple_m1_cpu_pmu.c"


def number(text):
    return int(str(text or "0").split(",")[0], 0)


def intel(perfmon, files):
    """(name, config, response) of each event; config as the kernel takes it."""
    for file in files:
        table = json.loads((perfmon / f"{file}.json").read_text())
        for event in table["Events"]:
            if "MATRIX_VALUE" in event:
                value = number(event["MATRIX_VALUE"])
                request = event["MATRIX_RESPONSE"] == "Null"
                name = event["MATRIX_REQUEST" if request else "MATRIX_RESPONSE"]
                yield f"OFFCORE_RESPONSE.{name}", 0x1B7, value if request else value << 16
                continue
            config = number(event["EventCode"]) | number(event["UMask"]) << 8
            config |= number(event.get("UMaskExt")) << 40 | number(event.get("CounterMask")) << 24
            config |= number(event.get("Invert")) << 23 | number(event.get("EdgeDetect")) << 18
            response = number(event.get("MSRValue")) if config & 0xFF in (0xB7, 0xBB) else None
            yield event["EventName"], config, response


def arm(file):
    for event in json.loads(file.read_text())["events"]:
        if "code" in event and "name" in event:
            yield event["name"], event["code"], None


def linux(tree, directory):
    arch = tree / "tools/perf/pmu-events/arch"
    codes = {}
    if directory.startswith("arm64"):
        for file in ("common-and-microarch", "recommended"):
            for event in json.loads((arch / f"arm64/{file}.json").read_text()):
                codes[event["EventName"]] = event["EventCode"]
    for file in sorted((arch / directory).glob("*.json")):
        for event in json.loads(file.read_text()):
            name = event.get("ArchStdEvent") or event.get("EventName")
            code = event.get("EventCode") or codes.get(name)
            if code and not event.get("Unit"):
                code = number(code)
                if directory.startswith("x86"):
                    code = (code & 0xFF) | (code >> 8) << 32 | number(event.get("UMask")) << 8
                yield name, code, None


def apple(file):
    for name, code in re.findall(r"M1_PMU_PERFCTR_(\w+)\s*=\s*(0x[0-9a-f]+|\d+)", file.read_text()):
        yield name, int(code, 0), None


def rows(name):
    with open(EVENTS / f"src/{name}.csv") as file:
        return list(csv.DictReader(file))


def used():
    """Family: the codes of the map, with their responses."""
    like = {family["key"]: family["like"] for family in rows("families")}
    own = defaultdict(set)
    for row in rows("map") + rows("kit"):
        for event in row["events"].split():
            code = event.rsplit("=", 1)[1]
            if not code.startswith("cache:"):
                config, _, response = code.partition("+")
                for family in row["families"].split():
                    own[family].add((int(config, 16), int(response or "0", 16)))
    for key in like:
        chain = like[key]
        while chain:
            own[key] |= own[chain]
            chain = like[chain]
    return own


def kept(family, events, used):
    """Those that are what the map uses, or a part of it: of the same event, with
    no bit that the map's code does not have."""
    exact = family.startswith(("arm", "ampere", "apple", "nvidia"))
    select = ~0 if exact else 0xF000000FF if family.startswith("amd64") else 0xFF
    for name, config, response in events:
        for code, wanted in used:
            part = (code ^ config) & select == 0 and config & ~code == 0
            if part and (response is None or wanted and response & ~wanted == 0):
                yield name, config, response
                break


def iso(date):
    """Of the date formats in the tables."""
    for form in ("%m/%d/%Y", "%a %b %d %H:%M:%S %Y"):
        try:
            return datetime.strptime(date, form).date().isoformat()
        except ValueError:
            pass
    return date


def tables(perfmon, arm_data, trees):
    for family, files in INTEL.items():
        header = json.loads((perfmon / f"{files[0]}.json").read_text())["Header"]
        yield family, f"intel/perfmon {files[0]}.json {header['Version']}", header["DatePublished"], intel(perfmon, files)
    for family, core in ARM.items():
        file = arm_data / f"pmu/{core}.json"
        date = json.loads(file.read_text()).get("timestamp", "")
        yield family, f"ARM-software/data pmu/{core}.json", date, arm(file)
    for family, directory in LINUX.items():
        tree = next(t for t in trees if (t / "tools/perf/pmu-events/arch" / directory).is_dir())
        yield family, f"Linux pmu-events/arch/{directory}", tree.name, linux(tree, directory)
    tree = next(t for t in trees if (t / APPLE).is_file())
    yield "apple_m1", f"Linux {APPLE}", tree.name, apple(tree / APPLE)


def main():
    if len(sys.argv) < 4:
        sys.exit(__doc__)
    perfmon, arm_data, *trees = map(Path, sys.argv[1:])
    codes = used()
    events, sources = defaultdict(list), []
    for family, source, date, table in tables(perfmon, arm_data, trees):
        sources.append((family, source, iso(date)))
        for name, config, response in dict.fromkeys(kept(family, table, codes[family])):
            code = f"{config:x}" + (f"+{response:x}" if response is not None else "")
            events[name, code].append(family)
    data = EVENTS / "tests/data"
    data.mkdir(parents=True, exist_ok=True)
    with open(data / "vendor_events.csv", "w") as file:
        file.write("name,code,families\n")
        file.writelines(f"{name},{code},{' '.join(f)}\n" for (name, code), f in sorted(events.items()))
    with open(data / "vendor_sources.csv", "w") as file:
        file.write("family,source,date\n")
        file.writelines(f"{','.join(source)}\n" for source in sources)


if __name__ == "__main__":
    main()
