"$DTRACE" -q -x oformat=json -s "$CASE" 2>/dev/null |
    python3 "${CASE%/*}/../../json_check.py" | grep -e '^ *{' -e keys -e values -e text
