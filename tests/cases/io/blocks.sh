. "$CASES/../disk.bash"
load_ext4
mke2fs -q "$disk" 2>/dev/null
cat >work <<END
mkdir -p m
mount -t ext4 $disk m
touch m/file
sync -f m/file
umount m
END
"$DTRACE" -q -s "$CASE" -c "unshare -m sh -e work" "$disk"
