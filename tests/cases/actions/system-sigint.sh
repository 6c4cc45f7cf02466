# in the background SIGINT would be ignored from the beginning
cat >run.py <<'EOT'
import os, signal, subprocess, sys
signal.signal(signal.SIGINT, signal.SIG_DFL)
p = subprocess.run(sys.argv[1:], timeout=20)
print(p.returncode)
EOT
python3 run.py "$DTRACE" -qw -s "$CASE"
