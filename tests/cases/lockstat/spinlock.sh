# An interrupt within a probe may wait for a lock, too.
. "$CASES/../tries.bash"
until_complete "$DTRACE" -q -x dynvarsize=16m -s "$CASE" \
    -c "$PROGS/kernel hammered 20000" >out
if grep -q '^0 0$' out; then
	echo "the kernel tells of no wait for a spinlock" >&2
	exit 77
fi
cat out
