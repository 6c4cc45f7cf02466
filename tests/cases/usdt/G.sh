cp "$CASE" f.d
printf 'int a;\n' | cc -xc -c - -o a.o
cp a.o b.o
"$DTRACE" -G -s f.d a.o b.o -o first.o
echo $?
readelf -sW first.o | awk '/semaphore/ { print $3, $5, $6, $8 }'
"$DTRACE" -S -s first.o | grep dofp
# the same in every order, with every compiler's flags
for args in "-o f.o -G -s f.d a.o b.o" "a.o -G b.o -s f.d -o f.o" \
    "-G -s f.d a.o b.o" "-xnolibs -G -s f.d" "-x nolibs -G -s f.d" \
    "-64 -fPIC -G -s f.d a.o" "-G -fpic -C -s f.d"; do
	rm -f f.o
	"$DTRACE" $args && cmp f.o first.o && cmp a.o b.o && echo same
done
# 32 bits: by the option, the compiler's flags, and the objects
"$DTRACE" -32 -G -s f.d -o 32.o && readelf -h 32.o | grep Class
CFLAGS="-O2 -m32" "$DTRACE" -G -s f.d && cmp f.o 32.o && echo 32
CC="ccache gcc -m32" "$DTRACE" -G -s f.d && cmp f.o 32.o && echo 32
printf 'int a;\n' | cc -m32 -xc -c - -o c.o
"$DTRACE" -G -s f.d c.o -o d.o && cmp d.o 32.o && echo 32
CC="ccache gcc" CFLAGS="-g -m32 -m64" "$DTRACE" -G -s f.d && cmp f.o first.o && echo 64
