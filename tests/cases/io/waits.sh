. "$CASES/../disk.bash"
. "$CASES/../tries.bash"
mount_ext4
mount -o remount,noatime mnt
dd if=/dev/zero of=mnt/file bs=4k count=10 status=none
sync -f mnt
# with a priority above the device's thread, dd waits for that
until_expected "$DTRACE" -q -s "$CASE" -c "chrt -f 1 bash -c '
    dd if=mnt/file of=/dev/null bs=4k count=10 iflag=direct status=none
    dd if=$disk of=/dev/null bs=4k count=20 iflag=direct status=none; true'"
