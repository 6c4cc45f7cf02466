. "$CASES/../disk.bash"
# a device may be done before anybody waits
"$DTRACE" -q -s "$CASE" -c "bash -c 'for i in {1..16}; do
    dd if=$disk of=/dev/null bs=4k count=64 iflag=direct status=none; done'"
