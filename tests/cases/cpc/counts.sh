. "$CASES/../tries.bash"
until_expected "$DTRACE" -q -s "$CASE" \
    -c "chrt -f 1 taskset 1 $PROGS/kernel zeroed 2000"
