# SPDX-License-Identifier: BSD-2-Clause
# bash completion of dtrace(1) and plockstat(1): flags, options with their values, and probes, which
# the command itself lists.  tests/live/test_completion.py sources it.

_dtrace_flags="-32 -64 -A -B -C -D -F -G -H -I -L -P -S -T -U -V -X -Z -a -b -c -e -f -h -i -l -m
    -n -o -p -q -s -v -w -x
    --anonymous --dump= --help --version"
_dtrace_stages="tokens ast types dif dof plan bpf x86"

# Names of options; the values of those that have a choice stand behind '='.
_dtrace_options="agghist aggpack aggpercpu aggrate= aggrefresh= aggsize= aggsortkey
    aggsortkeypos= aggsortpos= aggsortrev aggzoom allfaults amin= analysismax= argref bpflog
    bpflogsize= bufpolicy=ring|fill|switch bufresize=auto|manual bufsize=
    cleanrate= core cpp cppargs= cpphdrs cpppath= cpu= ctfpath= ctypes= debug
    defaultargs define= demangle destructive disasm=
    dofabi=opendtrace|illumos|freebsd|report droptags dtypes= dynvarsize= empty encoding=ascii|utf8 errtags
    evaltime=exec|preinit|postinit|main flowindent grabanon incdir=
    jstackframes= jstackstrsize= kernelbtf= late=dynamic|static libdir=
    linktype=dof|elf lockmem= maxframes= nolibs noresolve nspec=
    oformat=text|json pcapsize= printsize= procfspath= pspec quiet quietresize rawbytes
    scratchsize= setenv= specsize= stackframes= stackindent= statusrate=
    stdc=a|c|s|t strip strsize= substrate=auto|kernel|process switchrate= syslibdir= temporal tree= undef=
    unsetenv= ustackframes= verbose version= zdefs"

# COMPREPLY from the words that begin with $1.
_dtrace_words() {
	local word=$1
	shift
	COMPREPLY=($(compgen -W "$*" -- "$word"))
}

# -x name=value
_dtrace_option() {
	local name=${1%%=*} option

	if [[ $1 != *=* ]]; then
		_dtrace_words "$1" $(printf '%s\n' $_dtrace_options |
		    sed 's/=.*/=/')
		return
	fi
	for option in $_dtrace_options; do
		case $option in
		"$name") _dtrace_words "$1" "$name=on" "$name=off" ;;
		"$name="*"|"*)
			option=${option#*=}
			_dtrace_words "$1" "$name=${option//|/ $name=}"
			;;
		"$name=") COMPREPLY=($(compgen -f -P "$name=" -- "${1#*=}")) ;;
		esac
	done
}

# Complete the next field of a probe description ($2), which has at most $3
# fields.  The fields before its last colon must match a probe; an empty field
# matches any.
_dtrace_probe() {
	COMPREPLY=($("$1" -l 2>/dev/null | awk -v cur="$2" -v most="$3" '
	BEGIN {
		depth = split(cur, want, ":")
		if (cur == "")
			depth = 1
	}
	NR > 1 {
		have[1] = $2
		have[2] = NF == 5 ? $3 : ""
		have[3] = NF == 5 ? $4 : ""
		have[4] = $NF
		text = ""
		for (i = 1; i < depth; i++) {
			if (want[i] != "" && want[i] != have[i])
				next
			text = text want[i] ":"
		}
		text = text have[depth] (depth < most ? ":" : "")
		if (index(text, cur) == 1 && !seen[text]++)
			print text
		# a name alone is a description, too
		if (depth == 1 && most == 4 && have[3] == "" &&
		    index($NF, cur) == 1 && !seen[$NF]++)
			print $NF
	}'))
}

# The word before the cursor, and the word before that, unsplit: bash has split
# them at ':' and '='.
_dtrace_line() {
	local line=${COMP_LINE:0:COMP_POINT} before

	cur=${line##*[[:space:]]}
	before=${line%"$cur"}
	before=${before%"${before##*[![:space:]]}"}
	prev=${before##*[[:space:]]}
	cur=${cur#[\'\"]}
}

# bash replaces only the part behind the last of its separators.
_dtrace_cut() {
	local mark kept

	for mark in : =; do
		if [[ $cur == *$mark* && $COMP_WORDBREAKS == *$mark* ]]; then
			kept=${cur%"${cur##*$mark}"}
			COMPREPLY=("${COMPREPLY[@]#"$kept"}")
		fi
	done
}

_dtrace() {
	local cur prev command=$1

	COMPREPLY=()
	_dtrace_line
	case $prev in
	-P) _dtrace_probe "$command" "$cur" 1 ;;
	-m) _dtrace_probe "$command" "$cur" 2 ;;
	-f) _dtrace_probe "$command" "$cur" 3 ;;
	-n) _dtrace_probe "$command" "$cur" 4 ;;
	-i) _dtrace_words "$cur" $("$command" -l | awk 'NR > 1 { print $1 }') ;;
	-x) _dtrace_option "$cur" ;;
	-X) _dtrace_words "$cur" a c s t ;;
	-p) _dtrace_words "$cur" $(cd /proc && echo [1-9]*) ;;
	-c) COMPREPLY=($(compgen -c -- "$cur")) ;;
	-I | -L) COMPREPLY=($(compgen -d -- "$cur")) ;;
	-b | -D | -T | -U) ;;
	-o | -s) COMPREPLY=($(compgen -f -- "$cur")) ;;
	*)
		case $cur in
		--dump=*)
			_dtrace_words "${cur##*[=,]}" $_dtrace_stages
			COMPREPLY=("${COMPREPLY[@]/#/${cur%"${cur##*[=,]}"}}")
			;;
		-*) _dtrace_words "$cur" $_dtrace_flags ;;
		*) COMPREPLY=($(compgen -f -- "$cur")) ;;
		esac
		;;
	esac
	_dtrace_cut
	# a word that ends with a separator is not complete
	if [[ ${#COMPREPLY[@]} -gt 0 && ${COMPREPLY[0]} == *[:=] ]]; then
		compopt -o nospace 2>/dev/null
	fi
	return 0
}

_plockstat_flags="-A -C -H -V -e -n -p -s -v -x"

_plockstat() {
	local cur prev

	COMPREPLY=()
	_dtrace_line
	case $prev in
	-x) _dtrace_option "$cur" ;;
	-p) _dtrace_words "$cur" $(cd /proc && echo [1-9]*) ;;
	-e | -n | -s) ;;
	*)
		case $cur in
		-*) _dtrace_words "$cur" $_plockstat_flags ;;
		*) COMPREPLY=($(compgen -c -- "$cur")) ;;
		esac
		;;
	esac
	_dtrace_cut
	if [[ ${#COMPREPLY[@]} -gt 0 && ${COMPREPLY[0]} == *= ]]; then
		compopt -o nospace 2>/dev/null
	fi
	return 0
}

complete -F _dtrace dtrace
complete -F _plockstat plockstat
