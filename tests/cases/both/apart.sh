"$DTRACE" -qv -x substrate=both -o /dev/null -s "$CASE" -c "$PROGS/mixed 1" 2>&1 >/dev/null | sed 's|/[^ ]*/apart.d|apart.d|g; s/pid[0-9]\{1,\}:/pidN:/'
