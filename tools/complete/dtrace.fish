# SPDX-License-Identifier: BSD-2-Clause
# fish completion of dtrace(8) and plockstat(1).  complete.sh knows the words.

# complete.sh is beside this file in the source, and in ../../dtrace once installed.
set -g __dtrace_words (path resolve (status dirname))/complete.sh
test -e $__dtrace_words
or set -g __dtrace_words (path resolve (status dirname))/../../dtrace/complete.sh

function __dtrace_complete
    set -l before (commandline -opc)
    # the word before the cursor, without an open quote
    set -l text (commandline -ct | string collect)
    set -l text (string replace -r '^(["\'])' '' -- $text)
    for word in ($__dtrace_words $before[1] $before[-1] $text)
        switch $word
            case @files
                __fish_complete_path $text
            case @folders
                __fish_complete_directories $text
            case @commands
                complete -C "$text"
            case '*'
                echo $word
        end
    end
end

for name in dtrace opendtrace plockstat
    complete -c $name -f -a '(__dtrace_complete)'
end
