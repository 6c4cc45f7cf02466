"$DTRACE" -e -s "$CASE" 2>&1 | sed -n 's/^[^]]*] //p'
for action in 'printf("%s", args[1])' 'printf("%s", pid)' \
    'printf("%s", stack())' 'printf("%d", execname)' 'printf("%k", arg1)'; do
	"$DTRACE" -e -n "syscall::openat:entry { $action; }" 2>&1 |
	    sed -n 's/^[^]]*] //p'
done
