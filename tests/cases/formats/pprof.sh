command -v go >/dev/null || { echo "go (golang-go) is not installed" >&2; exit 77; }
export HOME=$PWD PPROF_TMPDIR=$PWD
"$DTRACE" -q -x oformat=pprof -x units=bytes -o chain.pb.gz -s "$CASE" \
    -c "$PROGS/chain_fp 1"
gzip -t chain.pb.gz
go tool pprof -raw chain.pb.gz >raw
python3 - "$PROGS/chain_fp" <<'END'
import re, subprocess, sys
parts = re.split(r"^(Samples|Locations|Mappings):?\n", open("raw").read(),
                 flags=re.M)
samples, locations, mappings = parts[2], parts[4], parts[6]
files = {}
for line in mappings.splitlines():
    number, span, path, *rest = line.split()
    files["M=" + number[:-1]] = [int(v, 16) for v in span.split("/")] + [path]
    build_id = rest[0]
    if path == sys.argv[1]:
        notes = subprocess.run(["readelf", "-n", path], text=True,
                               capture_output=True).stdout
        print("the build id is the file's:", build_id in notes,
              "; it is the first:", number == "1:" or line ==
              mappings.splitlines()[0])
where = {}
for line in locations.splitlines():
    number, address, file, name = line.split()[:4]
    start, end, _, path = files[file]
    assert start <= int(address, 16) < end
    where[number[:-1]] = "kernel" if path[0] == "[" else name
for line in samples.splitlines():
    values, colon, stack = line.partition(": ")
    if re.fullmatch(r"[ 0-9-]+", values) and colon:
        names = [where[n] for n in stack.split()]
        while names[:2] == ["kernel", "kernel"]:
            del names[0]
        print(values.split(), *names)
    else:
        print(line.strip())
END
# the addresses are the file's
go tool pprof -disasm=mark chain.pb.gz 2>/dev/null | grep -q SYSCALL && echo disassembled
go tool pprof -top -sample_index=bytes chain.pb.gz 2>/dev/null | grep -E 'Type:|mark|_start'
go tool pprof -top -tagfocus=key3=-7 -focus=begin chain.pb.gz 2>/dev/null | grep -E 'Type:|_start'
# a profile without samples is one, too
"$DTRACE" -q -x oformat=pprof -n 'BEGIN { @n[1] = count(); exit(0); }' | gzip -t
