# $1: the option and a value that is too small; $2: the program, all in BEGIN
try() {
	"$DTRACE" -q -x "$substrate" -x "$1" -n "$2" 2>&1 >/dev/null |
	    grep -o '[0-9]* [^;]*drop.*\|[0-9]* failed spec.*'
}

check() {
	said=$(try "$1" "$2")
	enough=$(echo "$said" |
	    sed -n 's/.*; -x \([a-z]*=[0-9]*[kmg]*\) would have been enough\(, but none .*\)*$/\1/p' |
	    tail -1)
	test -n "$enough" || echo "$substrate, $1: $said"
	said=$(try "$enough" "$2")
	test -z "$said" || echo "$substrate, $1: $enough: $said"
}

times() {
	seq 1 "$1" | sed "s/.*/$2/" | tr '\n' ' '
}

records=$(times 6 'BEGIN { trace(strjoin(execname, "&")); }')
keys=$(times 12 '@[i++, execname] = count();')
vars=$(times 12 'a[i++, execname] = 1;')
specs="BEGIN { s = speculation(); }
    $(times 4 'BEGIN { speculate(s); trace(execname); }') BEGIN { discard(s); }"
for substrate in substrate=kernel substrate=process; do
	check bufsize=4k "#pragma D option strsize=1k
	    $records BEGIN { exit(0); }"
	check aggsize=1 "BEGIN { i = 0; $keys exit(0); }"
	check dynvarsize=1 "BEGIN { i = 0; $vars exit(0); }"
	check specsize=50 "$specs BEGIN { exit(0); }"
	check nspec=1 "BEGIN { $(times 4 's& = speculation();') exit(0); }"
done
echo tried
