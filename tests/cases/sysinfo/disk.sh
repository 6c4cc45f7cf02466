. "$CASES/../disk.bash"
run() {
	"$DTRACE" -q -s "$CASE" -c "dd status=none bs=4k $*"
}
run if="$disk" of=/dev/null count=3 iflag=direct
run if=/dev/zero of="$disk" count=2 oflag=direct
run if=/dev/zero of="$disk" count=1 conv=fsync
blockdev --flushbufs "$disk"
blockdev --setra 0 "$disk"
run if="$disk" of=/dev/null count=2
