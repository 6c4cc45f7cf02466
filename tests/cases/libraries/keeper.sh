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

# An array; what is cleared behind fire() is known in it.
cat > lib/mine.d <<'END'
provider mine {
	probe each(int fd);
	probe late(int fd);
	probe plain();
};
self int each[string];
syscall::close:entry { self->each["fd"] = arg0 + 1; }
syscall::close:return /self->each["fd"] != 0/ { fire("mine:::each", self->each["fd"]); }
syscall::close:return { self->each["fd"] = 0; }
syscall::close:return /self->each["fd"] != 0/ { fire("mine:::late", self->each["fd"]); }
syscall::close:entry { fire("mine:::plain"); }
END
"$DTRACE" -q -L lib -c "cat /dev/null" -n 'mine:::each /pid == $target/ { @n = count(); @sum = sum(arg0); }
mine:::late /pid == $target/ { @late = count(); }
syscall::close:entry /pid == $target/ { @closes = count(); @fds = sum(arg0 + 1); }
END { printa("%@d %@d %@d %@d\n", @n, @closes, @sum, @fds); }' |
    awk '$1 > 0 && $1 == $2 && $3 == $4 { print "each close" }'
# No script uses what the clause keeps: it does not run.
"$DTRACE" -q -L lib -c "cat /dev/null" -n 'mine:::plain /pid == $target/ { @ = max(self->each["fd"]); }
END { printa("plain %@d\n", @); }'
