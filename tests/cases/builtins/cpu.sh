"$DTRACE" -q -c "$PROGS/burst 2 100" -s "$CASE" "$(getconf _NPROCESSORS_ONLN)"
