cp "$PROGS/known" program
try() {
	"$DTRACE" "$@" 2>&1
	echo $?
}
try nosuch.d
try word
try 'BEGIN { exit(0); }'
try BEGIN
try program
try -l syscall
try -h
