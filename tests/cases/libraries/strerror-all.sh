python3 - >all.d <<'EOF'
print("BEGIN {")
for n in range(0, 150):
    print(f'printf("%s\\n%s\\n", strerror({n}), errname({n}));')
for n in range(1, 65):
    print(f'printf("%s\\n", signame({n}));')
print("exit(0); }")
EOF
python3 - >expected <<'EOF'
import errno, os
for n in range(0, 150):
    print(os.strerror(n))
    print("EDEADLK" if n == 35 else errno.errorcode.get(n, n)
          if n not in (11, 95, 133) else {11: "EAGAIN", 95: "EOPNOTSUPP",
                                          133: "EHWPOISON"}[n])
EOF
bash -c 'for n in $(seq 1 64); do kill -l $n | grep . || echo $n; done' |
    sed '/^[A-Z]/s/^\(SIG\)*/SIG/' >>expected
"$DTRACE" -qs all.d | sed '$d' | diff - expected && echo same
