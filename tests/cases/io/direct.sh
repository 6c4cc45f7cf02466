. "$CASES/../disk.bash"
"$DTRACE" -q -s "$CASE" -c "dd if=$disk of=/dev/null bs=64k count=3 \
    iflag=direct status=none" "$disk"
"$DTRACE" -q -s "$CASE" -c "dd if=/dev/zero of=$disk bs=4k count=2 \
    oflag=direct status=none" "$disk"
