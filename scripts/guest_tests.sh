#!/bin/bash
# guest_tests.sh: proves the hardware counters on emulated machines whose PMU
# counts exactly, since many real ones (virtual machines above all) have none.
#
# Needs: a Debian or Ubuntu system, cargo, and
#   sudo apt install qemu-system-arm qemu-system-misc opensbi \
#        gcc-aarch64-linux-gnu gcc-riscv64-linux-gnu
#   rustup target add aarch64-unknown-linux-gnu riscv64gc-unknown-linux-gnu
# (qemu 9.2 or newer for riscv64; on newer Debian: qemu-system-riscv).
# Kernels and busybox for the guests are fetched with `apt-get download` once
# and kept in GUEST_DIR (default ~/.cache/lab-kit-guests).
#
# GUEST_DIR may also hold, for ARCH = arm64 and riscv64: ARCH/vmlinuz and
# ARCH/busybox, put there by hand. QEMU_PATH: where qemu-system-* are, if not on PATH.
# GUEST_LIBS, QEMU_SHARE, OPENSBI: libraries, data and firmware of such a qemu.
# CARGO_RISCV64, CARGO_ARM64: what to run instead of cargo to build for a guest.
#
# Usage: scripts/guest_tests.sh [riscv64|arm64|refusals|mm1]...   (default: all)
set -euo pipefail
cd "$(dirname "$0")/.."
GUESTS=${GUEST_DIR:-$HOME/.cache/lab-kit-guests}
BUILD=${CARGO_TARGET_DIR:-target}/guests
WORK=$(mktemp -d)
trap 'rm -rf "$WORK"' EXIT
[ -z "${QEMU_PATH:-}" ] || PATH=$QEMU_PATH:$PATH
failures=0

die() { echo "guest_tests.sh: $*" >&2; exit 1; }

triple() { case $1 in arm64) echo aarch64-unknown-linux-gnu ;; riscv64) echo riscv64gc-unknown-linux-gnu ;; esac; }

# A kernel and a static busybox of that architecture.
fetch() {
    local arch=$1 dir=$GUESTS/$1 kernel
    [ -s "$dir/vmlinuz" ] && [ -s "$dir/busybox" ] && return
    mkdir -p "$dir/debs"
    dpkg --print-foreign-architectures | grep -qx "$arch" ||
        die "apt does not know $arch packages: sudo dpkg --add-architecture $arch && sudo apt-get update, or put vmlinuz and busybox into $dir"
    case $arch in arm64) kernel=linux-image-arm64 ;; riscv64) kernel=linux-image-riscv64 ;; esac
    kernel=$(apt-cache depends "$kernel:$arch" | awk '/Depends: linux-image/ { print $2; exit }')
    (cd "$dir/debs" && apt-get -q download "${kernel%%:*}:$arch" "busybox-static:$arch") ||
        die "the $arch kernel or busybox could not be fetched"
    for deb in "$dir"/debs/*.deb; do dpkg-deb -x "$deb" "$dir/debs/root"; done
    cp "$dir"/debs/root/boot/vmlinu* "$dir/vmlinuz"
    find "$dir/debs/root" -name busybox -type f -exec cp {} "$dir/busybox" \;
    rm -rf "$dir/debs"
    [ -s "$dir/busybox" ] || die "no busybox in the $arch package"
}

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
        export "CARGO_TARGET_${variable}_LINKER=$(echo "$target" | sed 's/gc-/-/; s/-unknown//')-gcc"
    fi
    CARGO_TARGET_DIR=$BUILD $cargo build -q --release --target "$target" -p common --example guest_checks
    CARGO_TARGET_DIR=$BUILD $cargo build -q --release --target "$target" -p avail -p mm1
}

binary() { echo "$BUILD/$(triple "$1")/release/$2"; }

# A folder as the kernel's initial file system: a cpio archive of the "newc"
# kind, all of it root's. Perl is on every Debian system, cpio is not.
archive() {
    (cd "$1" && find . -mindepth 1 | sort) | perl -e '
        my ($root, $inode) = ($ARGV[0], 0);
        sub entry {
            my ($name, $mode, $data) = @_;
            my $head = "070701" . join "", map { sprintf "%08X", $_ }
                (++$inode, $mode, 0, 0, 1, 0, length $data, 0, 0, 0, 0, 1 + length $name, 0);
            for my $part ("$head$name\0", $data) { print $part, "\0" x (-length($part) % 4) }
        }
        binmode STDOUT;
        chomp(my @names = <STDIN>);
        for (@names) {
            s{^\./}{};
            my ($path, $data) = ("$root/$_", "");
            if (-f $path) { local $/; open my $in, "<:raw", $path or die "$path: $!"; $data = <$in>; }
            entry($_, (stat $path)[2], $data);
        }
        entry("TRAILER!!!", 0, "");
    ' "$1"
}

# guest ARCH ICOUNT CPU USER SETUP PROGRAM ARGS..: boots, runs SETUP as root and
# the program as USER (0: root); its output, and its exit status.
guest() {
    local arch=$1 icount=$2 cpu=$3 user=$4 setup=$5 program=$6 root=$WORK/root status
    shift 6
    rm -rf "$root" && mkdir -p "$root"/{bin,dev,proc,sys,tmp}
    cp "$GUESTS/$arch/busybox" "$root/bin/busybox"
    cp "$program" "$root/program"
    {
        echo '#!/bin/busybox sh'
        echo '/bin/busybox --install -s /bin; export PATH=/bin HOME=/'
        echo 'mount -t devtmpfs none /dev; mount -t proc none /proc; mount -t sysfs none /sys'
        echo 'echo "user:x:1000:1000::/:/bin/sh" > /etc/passwd'
        echo 'echo -1 > /proc/sys/kernel/perf_event_paranoid'
        echo 'sleep 5' # lets the kernel's own threads settle; it takes no real time
        echo "$setup"
        printf 'run() { /program'
        printf ' %q' "$@"
        echo '; }'
        echo 'echo "<<<"'
        if [ "$user" = 0 ]; then
            echo 'run 2>&1; status=$?'
        else
            printf 'su -s /bin/sh user -c %q 2>&1; status=$?\n' "/program$(printf " '%s'" "$@")"
        fi
        echo 'echo ">>> $status"; poweroff -f'
    } > "$root/init"
    mkdir -p "$root/etc"
    chmod 755 "$root/init" "$root/program"
    archive "$root" > "$WORK/initrd"
    local qemu console
    case $arch in
        arm64) qemu=(qemu-system-aarch64 -M virt,gic-version=3 -cpu "${cpu:-max}") console=ttyAMA0 ;;
        riscv64)
            qemu=(qemu-system-riscv64 -M virt -cpu "${cpu:-rv64,sscofpmf=on,pmu-mask=0x7fff8}") console=ttyS0
            [ -z "${OPENSBI:-}" ] || qemu+=(-bios "$OPENSBI")
            ;;
    esac
    [ -z "${QEMU_SHARE:-}" ] || qemu+=(-L "$QEMU_SHARE")
    [ "$icount" = off ] || qemu+=(-icount "shift=$icount,align=off,sleep=off")
    LD_LIBRARY_PATH=${GUEST_LIBS:-} timeout 300 "${qemu[@]}" -accel tcg -m 512 -display none -nodefaults \
        -no-reboot -monitor none -nic none -kernel "$GUESTS/$arch/vmlinuz" -initrd "$WORK/initrd" \
        -append "console=$console quiet panic=-1" -serial "file:$WORK/console" > "$WORK/qemu" 2>&1 || true
    tr -d '\r' < "$WORK/console" | sed -n '/^<<<$/,/^>>> /p' | sed '1d' > "$WORK/output"
    status=$(sed -n 's/^>>> //p' "$WORK/output")
    [ -n "$status" ] || { tail -5 "$WORK/console" "$WORK/qemu" >&2; die "the $arch guest gave no answer"; }
    sed '/^>>> /d' "$WORK/output"
    return "$status"
}

check() {
    local title=$1
    shift
    echo "== $title"
    "$@" || { failures=$((failures + 1)); echo "FAILED: $title"; }
}

riscv64() {
    local checks
    checks=$(binary riscv64 examples/guest_checks)
    check "riscv64: exact counts" guest riscv64 1 '' 0 : "$checks" riscv64
    check "riscv64: sampling" guest riscv64 0 '' 0 : "$checks" sampling
    check "riscv64: avail's self-test" guest riscv64 0 '' 0 : "$(binary riscv64 avail)" --self-test
    check "riscv64: avail's costs" guest riscv64 1 '' 0 : "$(binary riscv64 avail)" --cost
}

arm64() {
    local checks
    checks=$(binary arm64 examples/guest_checks)
    check "arm64: sharing and planning" guest arm64 1 '' 0 : "$checks" arm64
    check "arm64: reads without the kernel" guest arm64 1 '' 0 'echo 1 > /proc/sys/kernel/perf_user_access' \
        "$(binary arm64 avail)" --cost
}

refused() { # TITLE ARCH ICOUNT CPU USER SETUP WORDS EVENT
    check "refusal: $1" guest "$2" "$3" "$4" "$5" "$6" "$(binary "$2" examples/guest_checks)" refused "$7" "$8"
}

paranoid() { echo "echo $1 > /proc/sys/kernel/perf_event_paranoid"; }

refusals() {
    refused "no PMU" arm64 1 max,pmu=off 0 : "no hardware counters" PAPI_TOT_INS
    refused "cycles without instructions" arm64 off max 0 : "cycles but no instructions" PAPI_TOT_INS
    refused "event not on this core" riscv64 1 '' 0 : "no counter for" PAPI_L1_DCM
    refused "kernel not left out" riscv64 1 rv64 0 : "cannot leave the kernel out" PAPI_TOT_INS
    for level in 3 4; do
        refused "level $level, ordinary user" riscv64 1 '' 1000 "$(paranoid $level)" \
            "perf_event_paranoid is $level" PAPI_TOT_INS
    done
    refused "level 2, inside the kernel" riscv64 1 '' 1000 "$(paranoid 2)" "perf_event_paranoid 2" context-switches
    for level in 2 3 4; do
        check "level $level, root counts" guest riscv64 1 '' 0 "$(paranoid $level)" \
            "$(binary riscv64 avail)" -e PAPI_TOT_INS
    done
    check "level 2, an ordinary user counts" guest riscv64 1 '' 1000 "$(paranoid 2)" \
        "$(binary riscv64 examples/guest_checks)" riscv64
}

mm1() {
    check "mm1, counted" guest riscv64 1 '' 0 : "$(binary riscv64 mm1)" --size 64 --counters hardware \
        --events PAPI_TOT_INS,PAPI_TOT_CYC,PAPI_L1_DCM
}

what=${*:-riscv64 arm64 refusals mm1}
for one in $what; do
    case $one in riscv64 | arm64 | refusals | mm1) ;; *) die "unknown test '$one'; give riscv64, arm64, refusals or mm1" ;; esac
done
for arch in riscv64 arm64; do
    fetch $arch
    build $arch
done
for one in $what; do $one; done
echo "$failures failed"
[ "$failures" = 0 ]
