# For cases that take memory from processes; sourced by their .sh.  $group is a
# control group.  The command $reclaim takes some of its memory: all that
# version 1 of control groups can find, or 256 KB with version 2.  When nothing
# is left, it tries $looks times more.
make_group() {
	if [ -d /sys/fs/cgroup/memory ]; then
		group=/sys/fs/cgroup/memory/dtrace.$$
		groups=
		reclaim="echo 0 >$group/memory.force_empty"
		looks=16
	else
		groups=groups
		mkdir "$groups"
		mount -t cgroup2 none "$groups"
		echo +memory >"$groups/cgroup.subtree_control"
		group=$groups/dtrace.$$
		reclaim="echo 256K >$group/memory.reclaim"
		looks=17
	fi
	mkdir "$group"
}

remove_group() {
	rmdir "$group"
	[ -z "$groups" ] || umount "$groups"
}
