mkdir lib
cat > lib/mine.d <<'END'
provider mine {
	probe seen(int which);
	probe lost(int which);
	probe told(int which);
};
self int seen, lost;
sdt:sched::sched_switch { self->seen = args[1]->no_such_member; }
syscall::close:entry { self->seen = 7; }
sdt:sched::sched_switch { self->lost = args[1]->no_such_member; }
syscall::close:return /self->seen != 0/ { fire("mine:::seen", self->seen); }
syscall::close:return /self->lost == 0/ { fire("mine:::lost", 1); }
syscall::close:return { fire("mine:::told", self->lost); }
END
"$DTRACE" -q -L lib -c "cat /dev/null" -n 'mine:::seen /pid == $target/ { @ = max(arg0); }
END { printa("seen %@d\n", @); }'
for probe in lost told; do
	"$DTRACE" -e -L lib -n mine:::$probe 2>&1 | sed -n 's/.*error: .* probe //p'
done
