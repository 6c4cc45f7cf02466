. "$CASES/../disk.bash"
. "$CASES/../tries.bash"
grep -qw ext4 /proc/filesystems || busybox modprobe -a crc32c_generic ext4 2>/dev/null
mke2fs -q -t ext4 -b 4096 -O ^has_journal "$disk"
mkdir mnt
mount -t ext4 "$disk" mnt
limit=/sys/block/${disk#/dev/}/queue/max_sectors_kb
before=$(cat "$limit")
trap 'echo "$before" >"$limit"; umount mnt; losetup -d "$disk"' EXIT
echo 16 >"$limit"
# The kernel may write the first pages before the last ones are there.
once() {
	rm -f mnt/split
	sync -f mnt
	"$DTRACE" -q -s "$CASE" -c "dd if=/dev/zero of=mnt/split bs=64k count=1 \
	    conv=fsync status=none"
}
until_expected once
