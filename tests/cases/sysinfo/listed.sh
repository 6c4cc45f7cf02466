. "$CASES/../disk.bash"
mount_ext4
cd mnt
"$DTRACE" -q -s "$CASE" -c "$PROGS/kernel listed 100"
cd ..
