mkdir types full narrow
cat >types/types.d <<'END'
struct in { int x; int y; };
struct sub { int a; long b; };
struct out {
	int sum;
	string name;
	char text[8];
	long big;
	unsigned char c;
	unsigned low : 3, high : 5;
	struct sub s;
	struct sub none;
	string nothing;
	int zero;
	char zeroes[4];
};
END
cat types/types.d - >full/types.d <<'END'
translator struct sub < int n > { a = n; b = -n; };
translator struct out < struct in i > {
	sum = i.x + i.y;
	name = strjoin("n", lltostr(i.x));
	text = strjoin("t", lltostr(i.y));
	big = i.x > 5 ? 1 : -1;
	c = 0x1ff;
	low = i.x;
	high = i.y;
	s = xlate <struct sub> (i.y);
};
END
sed '/i\.y;$/d' full/types.d >narrow/types.d
"$DTRACE" -q -L full -s "$CASE" >once
cat once
echo
"$DTRACE" -L types -x late=dynamic -o prog.dof -x linktype=dof -s "$CASE"
"$DTRACE" -q -L full -x late=dynamic -s prog.dof | diff once -
"$DTRACE" -q -L full -x late=dynamic -s "$CASE" | diff once -
# a member by itself must be there
"$DTRACE" -q -L narrow -x late=dynamic -s prog.dof 2>&1 | grep -o 'D_.*'
