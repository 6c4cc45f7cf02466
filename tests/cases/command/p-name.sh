# longer than the 15 characters that the kernel keeps
name=named$$-of-the-case
cp "$PROGS/calls" "$name"
mkfifo gate
"./$name" one.counts wait <gate >/dev/null &
one=$!
"./$name" two.counts wait <gate >/dev/null &
two=$!
exec 5>gate
trap 'kill $one $two; wait' EXIT
ids="s/\<$one\>/ONE/; s/\<$two\>/TWO/; s/$name/NAME/"
while [ "$(readlink /proc/$one/exe)" != "$PWD/$name" ] ||
    [ "$(readlink /proc/$two/exe)" != "$PWD/$name" ]; do
	sleep 0.05
done
"$DTRACE" -p "$name" -n 'BEGIN { exit(0); }' 2>&1 | sed -n "$ids; /NAME/p"
echo "with -q:"
"$DTRACE" -q -p "$name" -n 'BEGIN { exit(0); }' 2>&1
echo "listed:"
"$DTRACE" -ln 'pid$target:a.out:fn_nop:entry' -p "$name" |
    sed -e "1d; s/pid$one/pidONE/; s/pid$two/pidTWO/; $ids" -e "s/^ *[0-9]* *//; s/  */ /g"
