id=$("$DTRACE" -l -n syscall::getpriority:entry | awk 'NR == 2 { print $1 }')
"$DTRACE" -q -c "$PROGS/known seq:2" \
    -n "$id /pid == \$target/ { printf(\"%s %d\\n\", probefunc, arg1); }"
