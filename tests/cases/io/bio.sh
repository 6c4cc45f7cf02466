[ -e /sys/class/zram-control ] || busybox modprobe zram
n=$(cat /sys/class/zram-control/hot_add)
trap 'echo "$n" >/sys/class/zram-control/hot_remove' EXIT
echo 1M >"/sys/block/zram$n/disksize"
"$DTRACE" -q -s "$CASE" -c "dd if=/dev/zero of=/dev/zram$n bs=64k count=2 \
    oflag=direct status=none" "/dev/zram$n"
"$DTRACE" -q -s "$CASE" -c "dd if=/dev/zram$n of=/dev/null bs=4k count=2 \
    iflag=direct status=none" "/dev/zram$n"
