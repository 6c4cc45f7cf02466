# the choice is named as it is in the process; without symbols, by its place
chosen='s/.*has chosen \(the code at \)\{0,1\}\([^ ;]*\).*/\2/p'
for func in strlen memcpy; do
	name=$("$DTRACE" -e -n "pid\$target:libc.so.6:$func:entry" -c true 2>&1 |
	    sed -n "$chosen")
	# a processor without AVX: the choice has the name that was asked for
	case ${name:-$func} in
	_* | "$func") "$DTRACE" -qn "pid\$target:libc.so.6:${name:-$func}:entry { n++; }
	    END { printf(\"$func %s\n\", n > 0 ? \"called\" : \"never\"); }" \
	    -c "ls -d /" | grep "$func" ;;
	*) echo "$name" | grep -q '^[0-9a-f]\{4,\}$' && echo "$func called" ;;
	esac
done
