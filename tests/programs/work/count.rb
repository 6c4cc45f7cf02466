# SPDX-License-Identifier: BSD-2-Clause
seen = 0
trap("USR1") { seen += 1 }
20.times { Process.kill("USR1", $$); sleep 0.002 }
q = Queue.new
ts = 4.times.map { |i| Thread.new { 100.times { |k| q << i * k } } }
ts.each(&:join)
sum = 0
sum += q.pop until q.empty?
deep = ->(n) { n.zero? ? raise("deep") : deep.(n - 1) }
caught = 0
50.times { begin; deep.(30); rescue RuntimeError; caught += 1; end }
pid = fork { exit 9 }
Process.wait(pid)
puts "#{seen.positive?} #{sum} #{caught} #{$?.exitstatus}"
