[ -e /dev/loop-control ] || busybox modprobe loop
dd if=/dev/zero of=image bs=1M count=1 status=none
disk=$(losetup -P -f --show image)
mkdir mnt
mount -t tmpfs -o size=64k none mnt
truncate -s 1M mnt/image
dd if=/dev/zero of=mnt/full bs=64k count=1 status=none
full=$(losetup -f --show mnt/image)
trap 'losetup -d "$disk" "$full"; umount mnt' EXIT
# not every kernel reads tables of partitions
addpart "$disk" 1 64 1024
name=${disk#/dev/}p1
IFS=: read -r major minor <"/sys/block/${disk#/dev/}/$name/dev"
mknod part b "$major" "$minor"
# a device may be done before anybody waits
"$DTRACE" -q -s "$CASE" -c "bash -c 'for i in {1..16}; do
    dd if=part of=/dev/null bs=4k count=64 iflag=direct status=none; done'" \
    "$name" 0 64
"$DTRACE" -q -s "$CASE" -c "bash -c 'for i in {1..64}; do
    dd if=/dev/zero of=$full bs=128k count=1 oflag=direct; done; true'" \
    "${full#/dev/}" 1 0 2>/dev/null
