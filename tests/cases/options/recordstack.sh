record() {
	"$DTRACE" -q --record=run.dtr "$@" -n syscall::getpriority:entry \
	    -c "$PROGS/known seq:3" || exit 1
}
ask() {
	"$DTRACE" -r run.dtr -q -n "syscall:::entry /execname == \"known\"/ { $1 }" 2>&1
}
record -x recordstack -x recordustack=3
echo '# names'
"$DTRACE" -r run.dtr -q -s "$CASE"
ask '@[ustack()] = count();' | grep -c '[`+]'
ask '@[ustack(2)] = count();' | grep -c '[`+]'
echo '# limits'
ask 'printf("%k", ustack());' | grep option | head -1
"$DTRACE" -r run.dtr -x ustackframes=2 -qn 'syscall::: /execname == "known"/
	{ @[ustack()] = count(); }' 2>&1 | grep option
echo '# refusals'
ask '@[ustack(4)] = count();'
record -x recordustack
ask '@[stack()] = count();'
ask 'trace(caller);'
"$DTRACE" -x recordstack -n BEGIN 2>&1
"$DTRACE" --record=run.dtr -x recordustack -n 'BEGIN { exit(0); }' 2>&1
"$DTRACE" --record=run.dtr -x recordstack=128 -n BEGIN 2>&1
exit 0
