"$DTRACE" -x oformat=json -s "$CASE" 2>/dev/null |
    python3 "${CASE%/*}/../../json_check.py" | grep -e action -e keys
