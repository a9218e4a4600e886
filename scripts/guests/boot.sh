# Sourced by guest_tests.sh: kernels for guests, and booting them with a program.

# Whether guests of ARCH can run on this machine; if not, the reason on stdout.
can_boot() {
    local arch=$1 qemu version
    case $arch in arm64) qemu=qemu-system-aarch64 ;; riscv64) qemu=qemu-system-riscv64 ;; esac
    version=$(LD_LIBRARY_PATH=${GUEST_LIBS:-} "$qemu" --version 2> /dev/null | sed -n 's/.*version \([0-9.]*\).*/\1/p')
    if [ -z "$version" ]; then
        echo "$qemu is not installed (or not in QEMU_PATH)"
        return 1
    fi
    # Before 9.2 its counters cannot exclude any mode and never overflow.
    if [ "$arch" = riscv64 ] && [ "$(printf '9.2\n%s\n' "$version" | sort -V | head -1)" != 9.2 ]; then
        echo "qemu $version gives a riscv64 machine no counters that programs can use; 9.2 or newer does (Debian 13, bookworm-backports)"
        return 1
    fi
    fetch "$arch"
}

# Fetches a kernel and a static busybox for that architecture, once.
fetch() {
    local arch=$1 dir=$GUESTS/$1 kernel
    [ -s "$dir/vmlinuz" ] && [ -s "$dir/busybox" ] && return
    if ! dpkg --print-foreign-architectures | grep -qx "$arch"; then
        echo "apt does not know $arch packages: sudo dpkg --add-architecture $arch && sudo apt-get update (riscv64 from Debian 13 on), or put vmlinuz and busybox into $dir"
        return 1
    fi
    kernel=$(apt-cache depends "linux-image-$arch:$arch" 2> /dev/null | awk '/Depends: linux-image/ { print $2; exit }')
    if [ -z "$kernel" ]; then
        echo "apt has no kernel for $arch (sudo apt-get update; riscv64 from Debian 13 on), nor are there vmlinuz and busybox in $dir"
        return 1
    fi
    mkdir -p "$dir/debs"
    if ! (cd "$dir/debs" && apt-get -q download "${kernel%%:*}:$arch" "busybox-static:$arch" >&2); then
        echo "the $arch kernel or busybox could not be fetched"
        return 1
    fi
    for deb in "$dir"/debs/*.deb; do dpkg-deb -x "$deb" "$dir/debs/root"; done
    cp "$dir"/debs/root/boot/vmlinu* "$dir/vmlinuz"
    find "$dir/debs/root" -path '*bin/busybox' -type f -exec cp {} "$dir/busybox" \;
    rm -rf "$dir/debs"
    [ -s "$dir/busybox" ] || { echo "there is no busybox in the $arch package"; return 1; }
}

# A folder as the kernel's initial file system: a cpio archive in the "newc" format, owned
# by root. Perl is on every Debian system, cpio is not.
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

# The firmware that describes an arm64 machine by ACPI, not by a device tree.
efi() {
    local file
    for file in "${EFI_ARM64:-}" "${QEMU_SHARE:-/usr/share/qemu}/../qemu-efi-aarch64/QEMU_EFI.fd"; do
        [ ! -s "$file" ] || { echo "$file"; return; }
    done
}

# guest ARCH ICOUNT CPU USER SETUP PROGRAM ARGS..: boots, runs SETUP as root and
# the program as USER (0: root); its output, and its exit status. The files in
# the array `beside` are in the guest's PATH, too; `firmware` is what starts the
# machine, if not qemu itself.
beside=() firmware=
guest() {
    local arch=$1 icount=$2 cpu=$3 user=$4 setup=$5 program=$6 root=$WORK/root status
    shift 6
    rm -rf "$root" && mkdir -p "$root"/{bin,dev,proc,sys,tmp,etc}
    cp "$GUESTS/$arch/busybox" "$root/bin/busybox"
    cp "$program" "$root/program"
    [ ${#beside[@]} = 0 ] || cp "${beside[@]}" "$root/bin"
    {
        echo '#!/bin/busybox sh'
        echo '/bin/busybox --install -s /bin; export PATH=/bin HOME=/'
        echo 'mount -t devtmpfs none /dev; mount -t proc none /proc; mount -t sysfs none /sys'
        echo 'echo "user:x:1000:1000::/:/bin/sh" > /etc/passwd'
        echo 'echo -1 > /proc/sys/kernel/perf_event_paranoid'
        echo 'sleep 5' # lets the kernel's own threads settle; it takes no real time
        echo "$setup"
        printf 'run() { /program'
        [ $# = 0 ] || printf ' %q' "$@"
        echo '; }'
        echo 'echo; echo "<<<"' # firmware may have left the cursor in a line
        if [ "$user" = 0 ]; then
            echo 'run 2>&1; status=$?'
        else
            printf 'su -s /bin/sh user -c %q 2>&1; status=$?\n' "/program$(printf " '%s'" "$@")"
        fi
        echo 'echo ">>> $status"; poweroff -f'
    } > "$root/init"
    chmod 755 "$root/init" "$root/program" "$root"/bin/*
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
    [ -z "$firmware" ] || qemu+=(-bios "$firmware")
    [ "$icount" = off ] || qemu+=(-icount "shift=$icount,align=off,sleep=off")
    LD_LIBRARY_PATH=${GUEST_LIBS:-} timeout "${GUEST_SECONDS:-300}" "${qemu[@]}" -accel tcg -m 1024 -display none -nodefaults \
        -no-reboot -monitor none -nic none -kernel "$GUESTS/$arch/vmlinuz" -initrd "$WORK/initrd" \
        -append "console=$console quiet panic=-1${firmware:+ acpi=force}" -serial "file:$WORK/console" > "$WORK/qemu" 2>&1 || true
    tr -d '\r' < "$WORK/console" | sed -n '/^<<<$/,/^>>> /p' | sed '1d' > "$WORK/output"
    status=$(sed -n 's/^>>> //p' "$WORK/output")
    sed '/^>>> /d' "$WORK/output"
    if [ -z "$status" ]; then
        tail -n 5 "$WORK/console" "$WORK/qemu" >&2
        echo "the $arch guest did not finish" >&2
        return 1
    fi
    return "$status"
}
