echo "" >here.h
"$DTRACE" -q -C -H -I . -s "$CASE" 2>&1 | grep -c "^[.] .*here.h"
