export REFUSED=" vfs_write vfs_llseek "
trace() {
	LD_PRELOAD=$PROGS/refuser.so "$DTRACE" "$@" \
		-c "env -u LD_PRELOAD $PROGS/reads 1 10" 2>&1 |
		sed -E '/matched/d; s/ of [0-9,]+ places/ of N places/'
}
trace -qn 'fbt::vfs_*:entry /pid == $target && probefunc == "vfs_read"/
	{ n++; }
	END { printf("%s\n", n > 9 ? "traced" : "lost"); }'
trace -vqn 'fbt::vfs_w*:entry, fbt::vfs_l*:entry, fbt::vfs_re*:entry { }
	END { printf("done\n"); }' | grep -E 'done|cannot be probed'
trace -qn 'fbt::vfs_write:return { }' | grep -o 'fbt:vmlinux:vfs_write: cannot attach: .*'
