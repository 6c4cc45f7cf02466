# Memory that may not be swapped stays; the rest is gone after a few times.
. "$CASES/../memory.bash"
make_group
sh -c "echo \$\$ >$group/cgroup.procs
    exec $PROGS/kernel held 64" &
held=$!
trap 'kill -9 $held; wait $held 2>/dev/null; remove_group' EXIT
until grep -q 'State:.T' /proc/$held/status; do sleep 0.1; done
for i in 1 2 3; do
	(eval "$reclaim") 2>/dev/null
done
"$DTRACE" -q -s "$CASE" -c "sh -c '$reclaim 2>/dev/null'" |
    sed "s/^$looks /as often as it should: /"
