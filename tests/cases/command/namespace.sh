inside() {
	unshare -p -f --mount-proc "$DTRACE" -q "$@" -c true 2>&1 |
	    sed '/^$/d' | cut -c1-40
}
inside -s "$CASE"
echo "without pid:"
inside -n 'syscall::exit_group:entry /execname == "true"/ { exit(0); }'
echo "outside:"
"$DTRACE" -q -s "$CASE" -c true 2>&1 | xargs
