"$DTRACE" -e -s "$CASE" 2>&1 >/dev/null | grep -c error
"$DTRACE" -e -s "$CASE" 2>&1 >/dev/null |
    grep -o "fbt is not available: this kernel has no kprobes"
