# SPDX-License-Identifier: BSD-2-Clause
my %n;
open(my $f, '<', 'text') or die;
while (<$f>) { $n{lc $_}++ for /\w+/g }
printf "%s %d\n", $_, $n{$_} for sort { $n{$b} <=> $n{$a} || $a cmp $b } keys %n;
