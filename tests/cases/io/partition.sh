[ -e /dev/loop-control ] || busybox modprobe loop
dd if=/dev/zero of=image bs=1M count=1 status=none
disk=$(losetup -P -f --show image)
trap 'losetup -d "$disk"' EXIT
# not every kernel reads tables of partitions
addpart "$disk" 1 64 1024
name=${disk#/dev/}
IFS=: read -r major minor <"/sys/block/$name/${name}p1/dev"
mknod part b "$major" "$minor"
"$DTRACE" -q -s "$CASE" -c "dd if=part of=/dev/null bs=4k count=2 skip=1 \
    iflag=direct status=none" "${name}p1" "$major" "$minor" "${name#loop}" \
    "$name"
