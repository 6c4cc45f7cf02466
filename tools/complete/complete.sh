#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# The words that can stand at a place of a command line of dtrace(8) or
# plockstat(1), one a line.  The completions of bash, zsh and fish ask this.
#
#	complete.sh COMMAND PREVIOUS TEXT
#
# PREVIOUS is the word before, and TEXT what the word begins with, both without
# quotes.  Each answer begins with TEXT; if it is the only one and ends with ':',
# '=' or a blank, more text follows.  "@files", "@folders" and "@commands" stand for what
# each shell finds best itself, and come last.

set -f
command=$1 previous=$2 text=$3

flags="-32 -64 -A -B -C -D -F -G -H -I -L -P -S -T -U -V -X -Z -a -b -c -e -f -h -i -l -m
    -n -o -p -q -r -s -t -v -w -x
    --anonymous --attach --author --cgroup --check --container --detach --dump= --explain --flame --fleet --help
    --hosts --json --label --list --record= --stop --timeline --top --version"
# The flags after which a value follows.
valued=bcDfiILmnopPrstTUxX
stages="tokens ast types dif dof plan bpf x86"
plockstat_flags="-A -C -H -V -e -n -p -s -v -x"

# Names of options; the values of those that have a choice stand behind '='.
options="agghist aggnonzero aggpack aggpct= aggpercpu aggrate= aggrefresh= aggsize= aggsortkey
    aggsortkeypos= aggsortpos= aggsortrev aggzoom allfaults amin= analysismax= argref bpflog
    bpflogsize= bufpolicy=ring|fill|switch bufresize=auto|manual bufsize=
    cgroup= cleanrate= color=auto|always|never container= controls=auto|escape|raw core cpp
    cppargs= cpphdrs cpppath=
    cpu= ctfpath= ctypes= debug defaultargs define= demangle destructive disasm=
    dofabi=opendtrace|illumos|freebsd|report droptags dtypes= dynvarsize= empty encoding=ascii|utf8 errtags
    evaltime=exec|preinit|postinit|main flamediff= fleethost= fleetlabel= flowindent follow grabanon incdir=
    jstackframes= jstackstrsize= kernelbtf= late=dynamic|static libdir=
    linktype=dof|elf lockmem= maxframes= nolibs noresolve nspec=
    listen= oformat=text|json|folded|csv|flame|prometheus|chrome|perfetto|pprof|html|ctf pcapsize= printsize= procfspath= pspec quiet quietresize rawbytes
    record= recordstack recordustack scratchsize= setenv= specsize= stackframes= stackindent= statusrate=
    stdc=a|c|s|t strip strsize= substrate=auto|kernel|process|both switchrate= syslibdir= temporal threads= tree= undef=
    units=none|ns|us|ms|s|bytes
    unsetenv= ustackframes= verbose version= zdefs"

# Print those of the words $2... that begin with $1.
begin_with() {
	with=$1
	shift
	for word in "$@"; do
		case $word in
		"$with"*) printf '%s\n' "$word" ;;
		esac
	done
}

# -x name=value
option() {
	name=${text%%=*}
	case $text in
	*=*) ;;
	*)
		begin_with "$text" $(printf '%s\n' $options | sed 's/=.*/=/')
		return
		;;
	esac
	for option in $options; do
		case $option in
		"$name") begin_with "$text" "$name=on" "$name=off" ;;
		"$name="?*)
			begin_with "$text" $(printf '%s\n' "${option#*=}" |
			    tr '|' '\n' | sed "s/^/$name=/")
			;;
		esac
	done
}

# --dump=stage,stage
dump() {
	before=${text%"${text##*[=,]}"}
	begin_with "$text" $(printf '%s\n' $stages | sed "s/^/$before/")
}

# The next field of a probe description, which has at most $1 fields.  The
# fields before must match a probe; an empty field matches any.  As long as only
# one text is possible, it grows by a field.
#
# The description may follow others, and clauses: what stands before it is kept.
probe() {
	last=${text##*[\},[:space:]]}
	case ${text##*\}} in
	*[/{]*) return ;;	# a predicate or a body
	esac
	"$command" -l 2>/dev/null | AWK_BEFORE=${text%"$last"} AWK_LAST=$last \
	    awk -v most="$1" '
	# Columns are empty or right-aligned, the module in 17 places.
	function read_fields(    end, width) {
		provider[rows] = $2
		module[rows] = NF == 5 ? $3 : ""
		function_[rows] = NF == 5 ? $4 : ""
		name[rows] = $NF
		if (NF != 4)
			return
		end = index($0, " " $2 " ") + length($2)
		width = length($3) > 17 ? length($3) : 17
		if (substr($0, end + width - length($3) + 2, length($3)) == $3)
			module[rows] = $3
		else
			function_[rows] = $3
	}
	function field(row, i) {
		if (i == 1)
			return provider[row]
		if (i == 2)
			return module[row]
		return i == 3 ? function_[row] : name[row]
	}
	function add(text) {
		if (index(text, cur) == 1 && !(text in seen)) {
			seen[text]
			found[++n] = text
		}
	}
	# The texts up to field number depth.
	function offer(depth,    row, i, text) {
		n = split("", seen)
		for (row = 1; row <= rows; row++) {
			text = ""
			for (i = 1; i < depth; i++) {
				if (want[i] != "" && want[i] != field(row, i))
					break
				text = text want[i] ":"
			}
			if (i < depth)
				continue
			add(text field(row, depth) (depth < most ? ":" : ""))
			# a name alone is a description, too
			if (depth == 1 && most == 4 && function_[row] == "")
				add(name[row])
		}
	}
	NR > 1 { rows++; read_fields() }
	END {
		cur = ENVIRON["AWK_LAST"]
		depth = cur == "" ? 1 : split(cur, want, ":")
		for (offer(depth); n == 1 && depth < most &&
		    found[1] ~ /:$/; offer(++depth)) {
			cur = found[1]
			split(cur, want, ":")
		}
		for (i = 1; i <= n; i++)
			print ENVIRON["AWK_BEFORE"] found[i]
	}'
}

numbers() {
	begin_with "$text" $(cd /proc && set +f && echo [1-9]*)
}

# Processes, by number and by name.
processes() {
	begin_with "$text" $(cd /proc && set +f && echo [1-9]* &&
		cat [1-9]*/comm 2>/dev/null | grep -x '[[:alnum:]_.-]*' | sort -u)
}

# Names that --check takes: providers, without those of processes, and features.
checks() {
	"$command" -l 2>/dev/null |
	    awk 'NR > 1 && $2 !~ /[0-9][0-9]$/ && !seen[$2]++ { print $2 }'
	printf '%s\n' pid usdt fbt process kernel-types strings copyout counters \
	    uprobe-multi kprobes fentry running others libdw libpfm debug-files
}

# The scripts of dtrace run.
tools() {
	"$command" run -l 2>/dev/null | awk '{ print $1 }'
}

# Types, once the first letter is there: a kernel has ten thousand.
types() {
	begin_with "$text" 'struct ' 'union ' 'enum '
	[ -z "$text" ] || "$command" -lT "$text*" 2>/dev/null
}

# Tags stand alone on their lines.
tags() {
	begin_with "$text" all \
	    $("$command" --explain all 2>/dev/null | grep '^D_[A-Z_]*$')
}

words_of_dtrace() {
	case $previous in
	"$command") begin_with "$text" run ;;
	run)
		begin_with "$text" -l --show $(tools)
		return
		;;
	--show)
		begin_with "$text" $(tools)
		return
		;;
	--container | --hosts | --label | --detach | --attach | --stop) return ;;
	--cgroup)
		echo @folders
		return
		;;
	--explain)
		tags
		return
		;;
	--check)
		case $text in
		-*) ;;
		*)
			begin_with "$text" $(checks | sort -u)
			return
			;;
		esac
		;;
	esac
	# "-qn" is -n; "-xq" has its value with it
	case $previous in
	--*) flag= ;;
	-*[$valued])
		flag=${previous#-}
		case ${flag%?} in
		*[$valued]*) flag= ;;
		*) flag=-${flag#"${flag%?}"} ;;
		esac
		;;
	*) flag= ;;
	esac
	case $flag in
	-P) probe 1 ;;
	-m) probe 2 ;;
	-f) probe 3 ;;
	-n) probe 4 ;;
	-i) begin_with "$text" $("$command" -l | awk 'NR > 1 { print $1 }') ;;
	-x) option ;;
	-X) begin_with "$text" a c s t ;;
	-p) processes ;;
	-c) echo @commands ;;
	-I | -L) echo @folders ;;
	-T) types ;;
	-b | -D | -t | -U) ;;
	-o | -r | -s) echo @files ;;
	*)
		case $text in
		--dump=*) dump ;;
		-*) begin_with "$text" $flags ;;
		*) echo @files ;;
		esac
		;;
	esac
}

words_of_plockstat() {
	case $previous in
	-x) option ;;
	-p) numbers ;;
	-e | -n | -s) ;;
	*)
		case $text in
		-*) begin_with "$text" $plockstat_flags ;;
		*) echo @commands ;;
		esac
		;;
	esac
}

case $command in
*plockstat) words_of_plockstat ;;
*) words_of_dtrace ;;
esac
