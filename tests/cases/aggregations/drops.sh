"$DTRACE" -q -x aggsize=64k -c "$PROGS/known seq:20000" -s "$CASE" \
    >out 2>err
. "$CASES/../drops.bash"
count_rows_and_drops
