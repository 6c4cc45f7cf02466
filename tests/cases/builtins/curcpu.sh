for cpu in $(seq 0 $(($(getconf _NPROCESSORS_ONLN) - 1))); do
	sys=/sys/devices/system/cpu/cpu$cpu
	node=$(ls -d $sys/node* 2>/dev/null | sed 's/.*node//')
	want="$cpu $(cat $sys/topology/physical_package_id) ${node:-0} 1 1 1 -1"
	got=$(taskset -c $cpu "$DTRACE" -q -s "$CASE")
	[ "$got" = "$want" ] || echo "$got, not $want"
done
