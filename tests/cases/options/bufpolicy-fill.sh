taskset -c 0 "$DTRACE" -q -x bufpolicy=fill -x bufsize=4k -s "$CASE"
