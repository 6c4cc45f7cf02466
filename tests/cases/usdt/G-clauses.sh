cp "$CASE" conftest.d
"$DTRACE" -G -s conftest.d
echo $?
"$DTRACE" -S -s conftest.o | grep -e dofp_name -e '^DOF'
"$DTRACE" -h -s conftest.d && cc -Wall -Werror -c -xc conftest.h -o h.o
echo $?
