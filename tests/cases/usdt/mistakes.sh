cp "$CASE" f.d
run() {
	"$DTRACE" "$@" >out 2>err
	echo "$? $(sed -n 1p err)"
}
run -h -s f.d -o f.h
run -h -G -s f.d
run -h
run -G -n BEGIN
run -h -s -
run -G -s f.d nosuch.o
run -G -s f.d f.d
echo 'int main(void) { __asm__("nop"); return 0; }' >x.c
printf 'provider p { probe here(); probe gone(); };\n' >old.d
printf 'provider p { probe here(); };\n' >new.d
"$DTRACE" -h -s old.d -o old.h
printf '#include "old.h"\nvoid f(void) { P_HERE(); P_GONE(); }\n' >x.c
cc -c x.c
run -G -s old.d x.o -o p.o
rm p.o
run -G -s new.d x.o -o p.o
run -h -s new.d -o nosuch/x.h
run -G -s new.d -x linktype=dof -o x.dof
ls *.o *.h
