. "$CASES/../disk.bash"
"$DTRACE" -q -s "$CASE" -c "dd if=$disk of=/dev/null bs=4k count=2 \
    iflag=direct status=none" "$disk"
