"$DTRACE" -q -s "$CASE" 2>err
grep -c '^processed [0-9]* insns' err
"$DTRACE" -q -x bpflog -s "$CASE" 2>err
grep -c '^processed [0-9]* insns' err
"$DTRACE" -q -x bpflog -x bpflogsize=4k -s "$CASE" 2>err
echo $?
grep -o 'longer than 4096 bytes.*' err
