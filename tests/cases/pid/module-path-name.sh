"$DTRACE" -n "pid\$target:$PROGS/calls:main:entry/pid == 0/{ }" \
    -c "$PROGS/calls counts once 1" 2>&1 >/dev/null | sed "/matched/!d; s,$PROGS,PROGS,"
