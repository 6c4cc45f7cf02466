mkdir inc
echo "#define GREETING \"hello\"" >inc/greet.h
"$DTRACE" -q -C -I inc -D COUNT=2 -D GONE=1 -U GONE -s "$CASE"
