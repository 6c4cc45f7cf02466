# Writes the script.
cat >make.py <<'EOF'
N, FIRINGS = 120, 5
print("int n, sum;")
probe = "syscall::getpriority:entry /pid == $target && arg0 == 0x7001"
for i in range(N):
    print(f"{probe}/ {{ @plain{i} = sum({i}); @keyed{i}[n] = count(); "
          f"array{i}[n] = {i}; }}")
print(f"{probe}/ {{ n++; }}")
print(f"{probe} && n == {FIRINGS}/ {{",
      " ".join(f"sum += array{i}[2];" for i in range(N)), "exit(0); }")
print("END {", 'printf("arrays %d\\n", sum);',
      " ".join(f'printa("plain %@d\\n", @plain{i}); '
               f'printa("keyed %d %@d\\n", @keyed{i});' for i in range(N)),
      "}")
EOF
python3 make.py >script.d
"$DTRACE" -q -s script.d -c "$PROGS/known seq:20" |
    awk '$1 == "arrays" { print }
	$1 == "plain" { plain += $2; nplain++ }
	$1 == "keyed" { keyed += $3; nkeyed++ }
	END { print "plain", nplain, plain; print "keyed", nkeyed, keyed }'
