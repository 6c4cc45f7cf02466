cat > names.d <<'END'
struct o { int alpha; int beta; };
translator struct o < int i > { alpha = i; };
BEGIN {
	@foo = count();
	printa(@fo);
	trace(offsetof(struct o, alhpa));
	trace(xlate <struct o> (1).beta);
	trace(xlate <struct o> (1).alpa);
}
END
"$DTRACE" -e -s "$CASE" 2>&1 | grep ' hint: '
"$DTRACE" -e -s names.d 2>&1 | grep -e D_ -e hint
