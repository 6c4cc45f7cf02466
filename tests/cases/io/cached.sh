. "$CASES/../disk.bash"
mount_ext4
mkdir mnt/dir
dd if=/dev/zero of=mnt/dir/cached bs=4k count=50 status=none
umount mnt
mount -t ext4 "$disk" mnt
"$DTRACE" -q -s "$CASE" -c "cat mnt/dir/cached" | tr -d '\0'
