. "$CASES/../disk.bash"
mount_ext4
"$DTRACE" -q -s "$CASE" -c "mkdir mnt/a"
