"$DTRACE" -x oformat=json -x printsize=64 -s "$CASE" 2>/dev/null |
    python3 "${CASE%/*}/../../json_check.py" | grep '"action"'
