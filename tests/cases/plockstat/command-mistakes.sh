plockstat="$(dirname "$DTRACE")/plockstat"
try() {
	"$plockstat" "$@" 2>err
	echo "status $?"
	head -1 err |
		sed 's/plockstat[0-9]*:::/plockstatPID:::/' >&2
}
try
try -p 1 ls
try -p x
try -n 0 ls
try -s 101 ls
try -Q ls
try -n
try -p 999999999
try -x nosuch=1 ls
try ./nosuch
try "$PROGS/circle"
