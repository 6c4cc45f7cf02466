taskset -c 0 "$DTRACE" -q -x bufpolicy=ring -x bufsize=4k -s "$CASE"
