# The disk is a hole in a file, and its file system has no room.
[ -e /dev/loop-control ] || busybox modprobe loop
mkdir mnt
mount -t tmpfs -o size=64k none mnt
truncate -s 1M mnt/image
dd if=/dev/zero of=mnt/full bs=64k count=1 status=none
disk=$(losetup -f --show mnt/image)
trap 'losetup -d "$disk"; umount mnt' EXIT
"$DTRACE" -q -s "$CASE" -c "dd if=/dev/zero of=$disk bs=128k count=1 \
    oflag=direct status=none" "$disk" 2>/dev/null
