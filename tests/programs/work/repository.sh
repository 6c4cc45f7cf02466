# SPDX-License-Identifier: BSD-2-Clause
export HOME=$PWD GIT_AUTHOR_DATE='1700000000 +0000' GIT_COMMITTER_DATE='1700000000 +0000'
git init -q -b main r && cd r
git config user.name x && git config user.email x@x
for i in 1 2 3; do
	seq $((i * 100)) >f$i
	git add f$i && git commit -qm "$i"
done
git log --format=%H
git gc -q && git fsck && git log -p --stat | cksum
