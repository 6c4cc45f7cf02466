# SPDX-License-Identifier: BSD-2-Clause
use strict;
use Time::HiRes qw(ualarm usleep);
my ($ticks, $died) = (0, 0);
$SIG{ALRM} = sub { $ticks++ };
ualarm(2000, 2000);
usleep(10000) for 1 .. 20;
ualarm(0);
for (1 .. 50) {
	eval {
		local $SIG{USR1} = sub { die "usr1\n" };
		kill 'USR1', $$;
		usleep(100000);
	};
	$died++ if $@ eq "usr1\n";
}
my $sum = 0;
for my $n (1 .. 10) {
	my $pid = fork();
	exit $n if $pid == 0;
	waitpid($pid, 0);
	$sum += $? >> 8;
}
print $ticks > 10 ? "ticks" : "no ticks", " $died $sum\n";
