for prog in calls calls_static; do
	mkfifo go && exec 9<>go || exit 1
	"$PROGS/$prog" counts wait 50 <go >ready &
	pid=$!
	until grep -qs ready ready; do kill -0 $pid || exit 1; sleep 0.05; done
	"$DTRACE" -x substrate=process -qn 'pid$target:a.out:fn_endbr:entry,
		pid$target:a.out:fn_pushes:entry { @ = count(); }
		BEGIN { printf("traced\n"); }
		END { printa("inside %@d\n", @); }' -p $pid >inside &
	inside=$!
	until grep -qs traced inside; do kill -0 $inside || exit 1; sleep 0.05; done
	"$DTRACE" -qn 'pid$target:a.out:fn_pushes:entry { }' -p $pid 2>&1 |
	    sed "s/pid$pid/pidN/"
	"$DTRACE" -qn 'pid$target:a.out:fn_[enp]*:entry
		{ @[probefunc] = count(); }
		BEGIN { printf("begun\n"); }
		END { printa("%s %@d\n", @); }' -p $pid 2>errors >kernel &
	until grep -qs begun kernel || ! kill -0 $! 2>/dev/null; do
		sleep 0.05
	done
	echo >go
	wait $pid
	echo "status $?"
	wait
	sed "/matched/d; s/pid$pid/pidN/" errors
	cat kernel
	grep inside inside
	rm go ready inside kernel errors
done
