command -v babeltrace2 >/dev/null || { echo "babeltrace2 is not installed" >&2; exit 77; }
shown() { # DIRECTORY: events without times, host, numbers of CPUs and threads
	babeltrace2 --no-delta "$1" 2>&1 | sed -E 's/^\[[0-9:.]*\] [^ ]+ //
	    s/pid[0-9]+:/pid:/
	    s/cpu = [0-9]+, pid = ([0-9]+), tid = \1,/cpu, pid = tid,/'
}
"$DTRACE" -q -x record=run.dtr -x oformat=ctf -o live -s "$CASE" \
    -c "$PROGS/known seq:2"
shown live
echo "the trace has $(ls live | tr '\n' ' ')"
"$DTRACE" -r run.dtr -o again
for file in live/*; do
	cmp "$file" "again/${file#live/}" && echo "the replay has the same $file"
done
"$DTRACE" -q -x oformat=ctf -x substrate=process -o process -c "$PROGS/known seq:1" \
    -n 'pid$target:known:main:entry { trace("in the process"); }'
shown process
# what was written before a kill can be read
"$DTRACE" -q -x switchrate=10ms -x oformat=ctf -o part \
    -n 'BEGIN { trace("begun"); } tick-1h' &
until [ -s part/stream_0 ]; do sleep 0.05; done
{ kill -9 $!; wait $!; } 2>/dev/null
shown part
# ... and what was written before the disk was full
mkdir disk
unshare -m sh -c 'mount -t tmpfs -o size=256k none disk || exit 1
	"$DTRACE" -q -x switchrate=10ms -x oformat=ctf -o disk/trace -n "
	    BEGIN { trace(\"begun\"); } tick-1ms { tracemem(curthread, 2048); }
	    tick-100s { exit(0); }"
	echo "status $?"
	babeltrace2 disk/trace >text || echo "babeltrace2 fails"
	head -1 text | grep -o begun
	[ $(wc -l <text) -gt 50 ] && echo "... and more"'
