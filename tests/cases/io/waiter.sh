. "$CASES/../disk.bash"
mount_ext4
dd if=/dev/zero of=mnt/file bs=4k count=64 conv=fsync status=none
# a device may be done before anybody waits
"$DTRACE" -q -s "$CASE" -c "bash -c 'for i in {1..16}; do
    dd if=mnt/file of=/dev/null bs=4k count=64 iflag=direct status=none; done'"
