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
