where() {
	"$DTRACE" -qv -x substrate=both -o /dev/null "$@" -c "$PROGS/mixed 1" 2>&1 >/dev/null |
	    sed 's|/[^ ]*/once.d|once.d|g; s/pid[0-9]\{1,\}:/pidN:/'
}
where -s "$CASE"
echo with another probe:
where -s "$CASE" -n 'pid$target:a.out:other:entry { n++; }'
