mkdir lib
cat > lib/mine.d <<'END'
provider mine {
	probe last(int n);
	probe first(int n);
	probe middle(int n);
};
syscall::getpriority:entry /arg0 == 0x7001/ { fire("mine:::first", arg1); }
syscall::getpriority:entry /arg0 == 0x7001/ { fire("mine:::middle", arg1 * 10); }
syscall::getpriority:entry /arg0 == 0x7001/ { fire("mine:::last", arg1 * 100); }
END
clauses() {	# many
	cat <<'END'
uint64_t when;
mine:::last /pid == $target/ { printf("last %d %d\n", arg0, when == timestamp); }
mine:::first /pid == $target/ { when = timestamp; printf("first %d\n", arg0); }
mine:::middle /pid == $target/ { printf("middle %d %d\n", arg0, when == timestamp); }
END
	for name in first middle last; do
		for i in $(seq $1); do
			echo "mine:::$name /pid == \$target/ { @[probename] = sum(arg0 + $i); }"
		done
	done
	echo 'END { printa("%s %@d\n", @); }'
}
for many in 1 30; do
	clauses $many > s.d
	"$DTRACE" -q -L lib -c "$PROGS/known seq:2" -s s.d --dump=bpf 2>&1 |
	    grep -c '^BPF program for [flm]'
	"$DTRACE" -q -L lib -c "$PROGS/known seq:2" -s s.d |
	    sed 's/\(middle\|last\) \([0-9]*\) [01]$/\1 \2/'
	"$DTRACE" -q -L lib -c "$PROGS/known seq:2" -s s.d |
	    grep -c 'middle.* 1$'
done
true
