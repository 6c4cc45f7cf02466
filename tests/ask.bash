# ask CLAIM PATTERN DTRACE-ARGUMENT...: "CLAIM: yes" if a line of the command's
# output matches the whole of the extended pattern, and nothing went wrong.
ask() {
	local claim=$1 pattern=$2
	shift 2
	if timeout 30 "$DTRACE" -q "$@" >out 2>err </dev/null &&
	    grep -Eqx -- " *$pattern *" out &&
	    ! grep -E '^dtrace: .*(error|cannot|failed)' err; then
		echo "$claim: yes"
	else
		echo "$claim: no"
		head -20 out err
	fi
}
n='[0-9]+'
