. "$CASES/../tries.bash"
until_expected "$DTRACE" -q -s "$CASE" -c "$PROGS/kernel barriers 100"
