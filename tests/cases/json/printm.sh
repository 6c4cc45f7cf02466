"$DTRACE" -x oformat=json -c "$PROGS/known data" -s "$CASE" 2>/dev/null |
    python3 "${CASE%/*}/../../json_check.py" | grep '"action"'
