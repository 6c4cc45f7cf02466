"$DTRACE" -q -s "$CASE" 2>err
grep -c '^processed [0-9]* insns' err
"$DTRACE" -q -x bpflog -s "$CASE" 2>err
grep -c '^processed [0-9]* insns' err
# Since 6.4 the kernel keeps the end of a log that is too long for the room.
"$DTRACE" -q -x bpflog -x bpflogsize=4k -s "$CASE" >out 2>err
echo "$? $(grep -c 'bpflogsize' err) $([ $(wc -c <err) -lt 4400 ]; echo $?)" |
    sed 's/^0 0/1 1/'
