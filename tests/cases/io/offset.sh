. "$CASES/../disk.bash"
grep -qw ext4 /proc/filesystems || busybox modprobe -a crc32c_generic ext4 2>/dev/null
mke2fs -q -t ext4 -b 1024 -O ^has_journal "$disk"
mkdir mnt
mount -t ext4 "$disk" mnt
trap 'umount mnt; losetup -d "$disk"' EXIT
dd if=/dev/zero of=mnt/placed bs=64k count=1 conv=fsync status=none
cat >work <<END
for at in 1 6 21 63; do
	dd if=/dev/zero of=mnt/placed bs=1k count=1 seek=\$at \
	    conv=notrunc,fsync status=none
done
END
# first with the pages in the cache, then without
cat mnt/placed >all
"$DTRACE" -q -s "$CASE" -c "sh -e work"
umount mnt
mount -t ext4 "$disk" mnt
"$DTRACE" -q -s "$CASE" -c "sh -e work"
