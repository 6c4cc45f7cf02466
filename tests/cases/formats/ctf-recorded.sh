command -v babeltrace2 >/dev/null || { echo "babeltrace2 is not installed" >&2; exit 77; }
run="${CASE%/*}/../../live/recording-1.0.dtr"
"$DTRACE" -q -r "$run" -x oformat=ctf -o trace -s "$CASE"
echo "status $?, files: $(ls trace | tr '\n' ' ')"
babeltrace2 --clock-seconds --no-delta trace >before
cat before
mkdir empty
"$DTRACE" -q -r "$run" -x oformat=ctf -o empty -s "$CASE"
babeltrace2 --clock-seconds --no-delta empty | cmp - before
# a directory of its own, or none
"$DTRACE" -q -r "$run" -x oformat=ctf -s "$CASE"
"$DTRACE" -q -r "$run" -x oformat=ctf -o trace -s "$CASE"
"$DTRACE" -q -r "$run" -x oformat=ctf -o before -s "$CASE"
"$DTRACE" -q -r "$run" -x oformat=ctf -o none/trace -s "$CASE"
printf '#pragma D option oformat=ctf\nsyscall::openat:entry { trace(1); }\n' >pragma.d
"$DTRACE" -q -r "$run" -o pragma -s pragma.d
babeltrace2 --clock-seconds --no-delta trace | cmp - before
