# Memory that may not be swapped stays; other memory is gone after up to ten tries.
. "$CASES/../memory.bash"
make_group
sh -c "echo \$\$ >$group/cgroup.procs
    exec $PROGS/kernel held 64" &
held=$!
trap 'kill -9 $held; wait $held 2>/dev/null; remove_group' EXIT
until grep -q 'State:.T' /proc/$held/status; do sleep 0.1; done
for try in 1 2 3 4 5 6 7 8 9 10; do
	(eval "$reclaim") 2>/dev/null
	printed=$("$DTRACE" -q -s "$CASE" -c "sh -c '$reclaim 2>/dev/null'")
	if [ "$printed" = "$looks 0" ]; then
		echo "as often as it should"
		exit
	fi
done
echo "$printed, not $looks 0"
