mkdir types full narrow none
cat >types/types.d <<'END'
struct in { int x; int y; };
struct out { int sum; string name; char text[8]; long big; unsigned char c; };
END
cat types/types.d - >full/types.d <<'END'
translator struct out < struct in i > {
	sum = i.x + i.y;
	name = strjoin("n", lltostr(i.x));
	text = strjoin("t", lltostr(i.y));
	big = i.x > 5 ? 1 : -1;
	c = 0x1ff;
};
translator struct out < int n > { sum = n * 2; };
END
sed 's/int sum/short sum/' full/types.d >narrow/types.d
"$DTRACE" -q -L full -s "$CASE"
echo "translated at once: $?"
"$DTRACE" -L types -x late=dynamic -o prog.dof -x linktype=dof -s "$CASE"
echo "saved: $?"
"$DTRACE" -S -s prog.dof | grep -c '^[0-9]*: 4e.*xlate'
"$DTRACE" -q -L full -x late=dynamic -s prog.dof
echo "run: $?"
"$DTRACE" -q -L full -x late=dynamic -s "$CASE"
echo "without a file: $?"
for dir in types narrow none; do
	"$DTRACE" -q -L $dir -x late=dynamic -s prog.dof
	echo "$dir: $?"
done
"$DTRACE" -q -L full -s prog.dof
echo "late=static: $?"
echo 'int mine;' >mine.d
"$DTRACE" -q -L full -x late=dynamic -s mine.d -s prog.dof
echo "behind a variable: $?"
