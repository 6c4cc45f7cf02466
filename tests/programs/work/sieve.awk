# SPDX-License-Identifier: BSD-2-Clause
BEGIN {
	for (i = 2; i < 20000; i++) {
		if (i in no)
			continue;
		n++
		for (j = i * i; j < 20000; j += i)
			no[j]
	}
	print n, sprintf("%.6f", sin(1) * exp(2))
	while (("echo a b c; exit 0" | getline line) > 0)
		print toupper(line)
}
