. "$CASES/../disk.bash"
mount_ext4
"$DTRACE" -q -s "$CASE" -c "dd if=/dev/zero of=mnt/known bs=4k count=11 \
    conv=fsync status=none"
umount mnt
mount -t ext4 "$disk" mnt
"$DTRACE" -q -s "$CASE" -c "dd if=mnt/known of=/dev/null bs=4k count=11 \
    status=none"
