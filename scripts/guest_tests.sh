#!/bin/bash
# guest_tests.sh: proves the hardware counters on emulated machines whose PMU
# counts exactly, since many real ones (virtual machines above all) have none.
#
# Needs: Debian 13 or a relative of it, cargo, and
#   sudo dpkg --add-architecture arm64; sudo dpkg --add-architecture riscv64; sudo apt-get update
#   sudo apt-get install qemu-system-arm qemu-system-riscv qemu-efi-aarch64 opensbi gcc-{aarch64,riscv64}-linux-gnu
#   rustup target add aarch64-unknown-linux-gnu riscv64gc-unknown-linux-gnu
# (or Debian's own Rust: cargo-web rustc-web libstd-rust-web-dev{,:arm64,:riscv64}).
# What is not available is skipped with the reason. On Debian 12 that is riscv64, unless
# qemu is from bookworm-backports and the kernel is installed by hand. Kernels and busybox
# for the guests are fetched with `apt-get download` once and stored in GUEST_DIR (default
# ~/.cache/lab-kit-guests).
#
# GUEST_DIR may also hold, for ARCH = arm64 and riscv64: ARCH/vmlinuz and
# ARCH/busybox, put there by hand. QEMU_PATH: where qemu-system-* and the cross
# tools are, if not on PATH.
# GUEST_LIBS, QEMU_SHARE, OPENSBI, EFI_ARM64: libraries, data and firmware of such
# a qemu.
# GUEST_SECONDS: how long one guest may take (default 300; more on a busy machine).
# CARGO_RISCV64, CARGO_ARM64: what to run instead of cargo to build for a guest.
#
# Usage: scripts/guest_tests.sh [riscv64|arm64|refusals|mm1|programs]...   (default: all)
set -euo pipefail
cd "$(dirname "$0")/.."
GUESTS=${GUEST_DIR:-$HOME/.cache/lab-kit-guests}
BUILD=${CARGO_TARGET_DIR:-target}/guests
WORK=$(mktemp -d)
trap 'rm -rf "$WORK"' EXIT
[ -z "${QEMU_PATH:-}" ] || PATH=$PATH:$QEMU_PATH
. scripts/guests/boot.sh
passed=0 failed=0 skipped=0
declare -A absent

triple() { case $1 in arm64) echo aarch64-unknown-linux-gnu ;; riscv64) echo riscv64gc-unknown-linux-gnu ;; esac; }
tools() { case $1 in arm64) echo aarch64-linux-gnu ;; riscv64) echo riscv64-linux-gnu ;; esac; }
binary() { echo "$BUILD/$(triple "$1")/release/$2"; }

# The programs, linked statically: the guest has no libraries.
build() {
    local arch=$1 target cargo=cargo variable
    target=$(triple "$arch")
    case $arch in
        arm64) [ -z "${CARGO_ARM64:-}" ] || cargo=$CARGO_ARM64 ;;
        riscv64) [ -z "${CARGO_RISCV64:-}" ] || cargo=$CARGO_RISCV64 ;;
    esac
    if [ "$cargo" = cargo ]; then
        variable=$(echo "$target" | tr 'a-z-' 'A-Z_')
        export "CARGO_TARGET_${variable}_RUSTFLAGS=-C target-feature=+crt-static"
        export "CARGO_TARGET_${variable}_LINKER=$(tools "$arch")-gcc"
    fi
    echo "== building for $arch"
    CARGO_TARGET_DIR=$BUILD $cargo build -q --release --target "$target" --workspace --bins
    CARGO_TARGET_DIR=$BUILD $cargo build -q --release --target "$target" -p counters --examples
}

check() { # ARCH TITLE COMMAND ARGS..
    local arch=$1 title="$1: $2"
    shift 2
    if [ -n "${absent[$arch]:-}" ]; then
        skipped=$((skipped + 1))
        return
    fi
    echo "== $title"
    local status=0
    "$@" || status=$?
    case $status in
        0) passed=$((passed + 1)) ;;
        77) skipped=$((skipped + 1)) ;;
        *) failed=$((failed + 1)) && echo "FAILED: $title" ;;
    esac
}

riscv64() {
    local checks avail
    checks=$(binary riscv64 examples/guest_checks) avail=$(binary riscv64 avail)
    check riscv64 "exact counts" guest riscv64 1 '' 0 : "$checks" riscv64
    check riscv64 "sampling" sampling "$checks"
    check riscv64 "avail's self-test" guest riscv64 0 '' 0 : "$avail" --self-test
    check riscv64 "avail's costs" guest riscv64 1 '' 0 : "$avail" --cost
}

# Some qemus (10.0.13, but not 10.0.2) count but raise no interrupt at overflow.
sampling() { # CHECKS
    local out status=0
    printf '#!/bin/sh\nguest_checks sampling; status=$?; grep riscv-pmu /proc/interrupts; exit $status\n' > "$WORK/sampling"
    beside=("$1")
    out=$(guest riscv64 0 '' 0 : "$WORK/sampling") || status=1
    beside=()
    echo "$out"
    if [ $status != 0 ] && grep -qE '^ *[0-9]+: +0 .*riscv-pmu' <<< "$out"; then
        echo "skipped: this qemu raised not one interrupt at a counter's overflow, so that nothing can be sampled"
        return 77
    fi
    return $status
}

arm64() {
    local checks
    checks=$(binary arm64 examples/guest_checks)
    check arm64 "sharing and planning" guest arm64 1 '' 0 : "$checks" arm64
    check arm64 "flops where ACPI names the PMU" named_by_acpi
}

# In that guest the PMU is armv8_pmuv3_0. The emulated core does not count floating-point
# work, and flops must report that; the other events it counts and samples.
named_by_acpi() {
    local words missing=0
    firmware=$(efi)
    [ -n "$firmware" ] || { echo "skipped: no firmware with ACPI (package qemu-efi-aarch64, or EFI_ARM64)"; return 77; }
    printf '#!/bin/sh\navail; flops scalar 64 --repeats 20 --event armv8_pmuv3_0/event=0x11/ --period 100003\n' > "$WORK/acpi"
    beside=("$(binary arm64 avail)" "$(binary arm64 flops)")
    guest arm64 0 neoverse-n1 0 : "$WORK/acpi" > "$WORK/all" || missing=1
    beside=() firmware=
    for words in 'PMUs of the cores +: armv8_pmuv3_0$' 'Family .*: Arm Neoverse N1' 'VFP_SPEC = 0.source=hardware' \
        'the events open but stay at 0' 'samples x 100003' 'counted over the same time'; do
        grep -E -- "$words" "$WORK/all" || { echo "no line like: $words"; missing=1; }
    done
    [ $missing = 0 ] || { cat "$WORK/all"; return 1; }
}

# Runs the command and searches its output for WORDS.
says() { # WORDS COMMAND ARGS..
    local words=$1 out
    shift
    out=$("$@") || { echo "$out"; return 1; }
    echo "$out"
    grep -qF -- "$words" <<< "$out" || { echo "not said: $words"; return 1; }
}

refused() { # TITLE ARCH ICOUNT CPU USER SETUP WORDS EVENT
    check "$2" "refusal: $1" says "$7" guest "$2" "$3" "$4" "$5" "$6" "$(binary "$2" avail)" -e "$8"
}

paranoid() { echo "echo $1 > /proc/sys/kernel/perf_event_paranoid"; }

refusals() {
    refused "no PMU" arm64 1 max,pmu=off 0 : "no hardware counters" PAPI_TOT_INS
    refused "cycles without instructions" arm64 off max 0 : "cycles but no instructions" PAPI_TOT_INS
    refused "event not on this core" riscv64 1 '' 0 : "no counter for" PAPI_L1_DCM
    refused "kernel not left out" riscv64 1 rv64 1000 "$(paranoid 2)" "always counts the kernel's work" PAPI_TOT_INS
    check riscv64 "kernel not left out, where it may be counted" says 'cannot exclude anything' \
        guest riscv64 1 rv64 1000 "$(paranoid 1)" "$(binary riscv64 avail)" -e PAPI_TOT_INS
    check riscv64 "counted, and not sampled" says 'raises no interrupt' guest riscv64 1 rv64 0 : \
        "$(binary riscv64 flops)" all 64 --repeats 1 --event cycles
    local level
    for level in 3 4; do
        refused "level $level, ordinary user" riscv64 1 '' 1000 "$(paranoid $level)" \
            "perf_event_paranoid is $level" PAPI_TOT_INS
    done
    refused "level 2, inside the kernel" riscv64 1 '' 1000 "$(paranoid 2)" "perf_event_paranoid 2" context-switches
    for level in 2 3 4; do
        check riscv64 "level $level, root counts" guest riscv64 1 '' 0 "$(paranoid $level)" \
            "$(binary riscv64 avail)" -e PAPI_TOT_INS
    done
    check riscv64 "level 2, an ordinary user counts" guest riscv64 1 '' 1000 "$(paranoid 2)" \
        "$(binary riscv64 examples/guest_checks)" riscv64
}

mm1() {
    local arch
    for arch in riscv64 arm64; do
        check $arch "mm1's instructions by its disassembly" counted_product $arch
    done
}

# Compares the instructions counted with those of the inner loop, and the cycles with the
# instructions.
counted_product() {
    local arch=$1 program out n=256 each
    program=$(binary "$arch" mm1)
    each=$(LD_LIBRARY_PATH=${GUEST_LIBS:-} "$(tools "$arch")-objdump" -d --no-show-raw-insn "$program" |
        perl scripts/guests/inner_loop.pl) || return 1
    out=$(guest "$arch" 1 '' 0 : "$program" --size $n --counters hardware \
        --events PAPI_TOT_INS,PAPI_TOT_CYC,PAPI_L1_DCM) || { echo "$out"; return 1; }
    grep -e 'After stopping' -e checksum <<< "$out"
    perl -e '
        my ($out, $n, $each) = @ARGV;
        my %count = $out =~ /stopping counter .(\w+).*?: ([\d.]+)\t/g;
        my ($instructions, $cycles) = map { 1e6 * $_ } @count{qw(PAPI_TOT_INS PAPI_TOT_CYC)};
        my $expected = $each * $n ** 3;
        my $off = 100 * ($instructions / $expected - 1);
        printf "%d instructions x %d^3 = %.0f, counted %.0f: %+.3f %%; cycles by instructions %.6f\n",
            $each, $n, $expected, $instructions, $off, $cycles / $instructions;
        my $refused = $out =~ /stopping counter .PAPI_L1_DCM.*not counted \(this processor has no counter/;
        exit !(abs $off <= 0.5 && abs($cycles / $instructions - 2) < 1e-4 && $refused);
    ' "$out" $n "$each"
}

programs() {
    local arch here=${CARGO_TARGET_DIR:-target}/release names=(spark cm1 mm1 mm2 mm3 ge{1..7} dgemm flops avail lab)
    echo "== building for this machine"
    cargo build -q --release --workspace --bins
    for arch in riscv64 arm64; do
        beside=()
        for name in "${names[@]}"; do beside+=("$(binary $arch "$name")"); done
        check $arch "programs give the same results as on this machine" same_answers $arch "$here"
        check $arch "programs on a machine that reports little" strange_machine $arch
    done
    beside=()
}

# Lines that depend only on the program: checks, checksums, modelled counts, exit status.
answers() { grep -E '^(\$|exit|Check|Matrix checksum|cache_size|After stopping|-- )|wrong|panicked|lines$'; }

same_answers() {
    local arch=$1 here=$2
    PATH=$here:$PATH scripts/guests/programs.sh same "$arch" | answers > "$WORK/here"
    guest "$arch" 1 '' 0 : scripts/guests/programs.sh same "$arch" > "$WORK/all" || return 1
    answers < "$WORK/all" > "$WORK/there"
    diff "$WORK/here" "$WORK/there" && echo "$(wc -l < "$WORK/here") lines are equal"
}

# No caches in sysfs, few counters, and an unknown processor.
strange_machine() {
    local arch=$1 line missing=0 expected=(
        'PAPI_TOT_INS +0x80000032 +Yes'
        'measure them with cm1'
        'nothing is counted, only timed, since this processor has no counter for .*--machine'
        'hardware counts PAPI_TOT_INS'
        "'PAPI_TOT_INS' .*source=hardware"
        'matrixmultiply  1 '
        'no cache is seen'
        'report.html is ready'
        'total instructions executed are [0-9]+'
    )
    guest "$arch" 1 '' 0 : scripts/guests/programs.sh there "$arch" > "$WORK/all" || return 1
    for line in "${expected[@]}" ; do
        grep -qE -- "$line" "$WORK/all" || { echo "no line like: $line"; missing=1; }
    done
    ! grep -E 'panicked|wrong' "$WORK/all" || missing=1
    [ $missing = 0 ] || { cat "$WORK/all"; return 1; }
    grep -E 'nothing is counted|no cache is seen|is ready' "$WORK/all"
}

what=${*:-riscv64 arm64 refusals mm1 programs}
for one in $what; do
    case $one in
        riscv64 | arm64 | refusals | mm1 | programs) ;;
        *) echo "guest_tests.sh: unknown test '$one'; give riscv64, arm64, refusals, mm1 or programs" >&2; exit 2 ;;
    esac
done
for arch in riscv64 arm64; do
    if reason=$(can_boot $arch); then
        build $arch
    else
        absent[$arch]=$reason
        echo "== $arch is skipped: $reason"
    fi
done
for one in $what; do $one; done
echo "$passed passed, $failed failed, $skipped skipped"
[ "$failed" = 0 ] && [ "$passed" -gt 0 ]
