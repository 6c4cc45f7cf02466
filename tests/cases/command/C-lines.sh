"$DTRACE" -C -e -s "$CASE" 2>&1 |
    grep -c "C-lines.d:8: .*D_IDENT_UNDEF"
