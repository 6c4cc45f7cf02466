. "$CASES/../disk.bash"
mount_ext4
"$DTRACE" -q -s "$CASE" -c "dd if=/dev/zero of=mnt/known bs=4k count=5 \
    conv=fsync status=none"
