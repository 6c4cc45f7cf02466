"$DTRACE" -e --dump=dof -s "$CASE" 2>&1
