cp "$PROGS/known" program
try() {
	"$DTRACE" "$@" 2>&1
	echo $?
}
try nosuch.d
try word
try 'BEGIN { exit(0); }'
try BEGIN
try program
try -l syscall
try -h
# a word that the shell would run; a file of a command's name comes first
mkdir bin
printf '#!/bin/sh\n' >bin/runme
chmod +x bin/runme
PATH=$PWD/bin:$PATH
try runme two words
try bin/runme two
printf '#!/usr/sbin/dtrace -s\nBEGIN { exit(0); }\n' >script
try -e script
cp "$PROGS/known" record
try record
