CPP="cc -E -DNAME=from_cpp" "$DTRACE" -C -h -s "$CASE" -o a.h
grep -c P_FROM_CPP_ENABLED a.h
CPP="cc -E -DNAME=from_cpp" "$DTRACE" -C -x cpppath=cpp -D NAME=other -h \
    -s "$CASE" -o a.h
grep -c P_OTHER_ENABLED a.h
CPP=false "$DTRACE" -C -e -n BEGIN
echo $?
cp "$CASE" f.d
CPP="nosuchcpp -E" "$DTRACE" -C -h -s f.d 2>&1
echo $?
