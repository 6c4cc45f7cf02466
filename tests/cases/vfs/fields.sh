"$DTRACE" -q -x strsize=128 -s "$CASE" -c "$PROGS/files" \
    "$(df --output=fstype . | tail -1)" "$(df --output=target . | tail -1)"
