mkdir lib bad
cat > lib/mine.d <<'END'
provider mine { probe one(int x); probe two(); probe three(); };
syscall::read:entry { fire("mine:::one", 1); }
sdt:::no_such_event { fire("mine:::two"); }
END
cat > bad/bad.d <<'END'
provider bad { probe one(int x); };
syscall::read:entry { fire("bad:::one", nothing); fire("bad:::one", 2); }
END
"$DTRACE" -l -L lib -P mine | awk '{ print $2, $NF }'
for args in '-L lib -n mine:::two' '-L lib -n mine:::three' '-L bad -P bad' \
    '-L bad' '-n sched:::cpucaps-sleep'; do
	echo "$args"
	"$DTRACE" -l $args 2>&1 > out
	echo $? $(wc -l < out)
done
