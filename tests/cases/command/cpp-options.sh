mkdir inc
echo "#define A 1" >inc/a.h
"$DTRACE" -q -x cpp -x incdir=inc -x define=B=2 -x define=E=1 -x undef=E \
    -x cpphdrs -s "$CASE" 2>err
grep -c "^[.] .*a.h" err
