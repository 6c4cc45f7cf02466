# An interrupt within a probe may wait for a lock, too.
. "$CASES/../tries.bash"
until_complete "$DTRACE" -q -x dynvarsize=16m -s "$CASE" \
    -c "$PROGS/kernel hammered 20000"
