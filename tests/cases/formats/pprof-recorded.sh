build_id=$(readelf -n "$PROGS/known" | sed -n 's/.*Build ID: //p')
has_file() {
	gzip -dc "$1" | grep -ac -e "$PROGS/known" -e "$build_id"
}
"$DTRACE" -q --record=run.dtr -x oformat=pprof -o live.pb.gz -s "$CASE" \
    -c "$PROGS/known seq:3" || exit 1
"$DTRACE" -r run.dtr -x oformat=pprof -o again.pb.gz || exit 1
gzip -dc live.pb.gz >live.pb
gzip -dc again.pb.gz | cmp - live.pb && echo 'the replay is the run'
test "$(has_file again.pb.gz)" -ge 1 && echo 'with its file'
# ... on its kernel, whose build id the kernel publishes
"$DTRACE" -q -x record=kernel.dtr -x oformat=pprof -o live.pb.gz \
    -c "$PROGS/known seq:3" \
    -n 'syscall::getpriority:entry /pid == $target/ { @[stack()] = count(); }' || exit 1
"$DTRACE" -v -r kernel.dtr -x oformat=pprof -o again.pb.gz 2>told || exit 1
gzip -dc live.pb.gz >live.pb
gzip -dc again.pb.gz | cmp - live.pb && echo 'the replay is the run'
kernel=$(od -An -v -tx1 /sys/kernel/notes | tr -d ' \n' |
    sed -n 's/.*1400000003000000474e5500\(.\{40\}\).*/\1/p')
test -n "$kernel" || { echo 'the kernel has no build id' >&2; exit 77; }
gzip -dc again.pb.gz | grep -ac "$kernel"
grep -c "^dtrace: kernel.dtr: recorded by .* on $(uname -n), Linux $(uname -r) (build id $kernel), $(uname -m)," told

echo '# firings'
"$DTRACE" -q --record=fired.dtr -x recordustack=5 -n syscall::getpriority:entry \
    -c "$PROGS/known seq:3" 2>/dev/null || exit 1
"$DTRACE" -r fired.dtr -q -x oformat=pprof -o fired.pb.gz -s "$CASE" 2>/dev/null
test "$(has_file fired.pb.gz)" -ge 1 && echo 'with their file'
"$DTRACE" -r fired.dtr -qn 'syscall:::entry
	/execname == "known"/
	{ printf("%A %A\n", ucaller, ucaller + 3); exit(0); }' |
    sed 's/0x[0-9a-f]*/N/g'
exit 0
