busybox modprobe brd rd_nr=1 rd_size=1024
trap 'busybox modprobe -r brd' EXIT
"$DTRACE" -q -s "$CASE" -c "dd if=/dev/zero of=/dev/ram0 bs=64k count=2 \
    oflag=direct status=none" /dev/ram0
"$DTRACE" -q -s "$CASE" -c "dd if=/dev/ram0 of=/dev/null bs=4k count=2 \
    iflag=direct status=none" /dev/ram0
