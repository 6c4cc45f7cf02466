# SPDX-License-Identifier: BSD-2-Clause
# bash completion of dtrace(8) and plockstat(1).  complete.sh knows the words;
# this file knows what readline replaces.  tests/live/test_completion.py types at
# a bash that has sourced it.

# complete.sh is beside this file in the source, and in ../../dtrace once installed.
_dtrace_words=$(
	CDPATH= cd -- "$(dirname "${BASH_SOURCE[0]}")" || exit
	[[ -e complete.sh ]] || CDPATH= cd ../../dtrace
	pwd
)/complete.sh

# Take the line up to the cursor apart: cur is the last word, prev the word
# before it, both without quotes.  readline replaces what follows an open quote,
# or else the last of its separators: kept is the part of cur that it keeps, and
# quote the open quote.
_dtrace_line() {
	local line=${COMP_LINE:0:COMP_POINT} i c

	cur= prev= kept= quote=
	for ((i = 0; i < ${#line}; i++)); do
		c=${line:i:1}
		case $quote$c in
		"''" | '""') quote= ;;
		\'?* | \"?*) cur+=$c ;;
		\' | \")
			quote=$c
			kept=$cur
			;;
		\\)
			((i++))
			cur+=${line:i:1}
			;;
		[[:space:]])
			[[ -z $cur ]] || prev=$cur
			cur= kept=
			;;
		*)
			cur+=$c
			[[ $COMP_WORDBREAKS != *"$c"* ]] || kept=$cur
			;;
		esac
	done
	[[ -n $quote || -n $cur ]] || kept=
}

_dtrace() {
	local cur prev kept quote kind=

	_dtrace_line
	mapfile -t COMPREPLY < <("$_dtrace_words" "$1" "$prev" "$cur")
	if ((${#COMPREPLY[@]} == 0)); then
		return	# bash reports [-1] of an empty array as an error
	fi
	# what the shell finds itself comes last
	case ${COMPREPLY[-1]} in
	@files) kind=f ;;
	@folders) kind=d ;;
	@commands) kind=c ;;
	esac
	if [[ -n $kind ]]; then
		unset 'COMPREPLY[-1]'
		[[ $kind == c ]] || compopt -o filenames 2>/dev/null
		mapfile -t -O ${#COMPREPLY[@]} COMPREPLY < <(compgen "-$kind" -- "$cur")
	fi
	# a word that ends with a separator is not complete
	if [[ ${COMPREPLY[0]-} == *[:=\ ] ]]; then
		compopt -o nospace 2>/dev/null
	fi
	COMPREPLY=("${COMPREPLY[@]#"$kept"}")
	# readline quotes nothing but names of files
	if [[ -z $quote && -z $kind ]]; then
		COMPREPLY=("${COMPREPLY[@]// /\\ }")
	fi
}

complete -F _dtrace dtrace opendtrace plockstat
