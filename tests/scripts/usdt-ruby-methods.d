#!/usr/sbin/dtrace -s
/*
 * usdt-ruby-methods.d: methods of a Ruby program by class and name, as its
 * interpreter tells them.
 *
 * @@load: sh for s in 5 0; do ruby --disable-gems -e 'class Counter; def
 *     leaf(n) n + 1 end; def caller(n) leaf(n) end; end; c = Counter.new;
 *     TracePoint.new(:call, :return) { }.enable; 30.times { |i| c.caller(i) };
 *     20.times { |i| c.leaf(i) }'; sleep $s; done
 * @@how: system
 * @@args: -Z
 * @@needs: cmd:ruby
 * @@err: was not known when a process began to run it
 * @@truth: output
 * @@check: n("Counter", "leaf") in (50, 100)    # the first may come too soon
 * @@check: n("Counter", "leaf") * 3 == n("Counter", "caller") * 5
 */

#pragma D option quiet

BEGIN
{
	printf("tracing\n");
}

ruby*:::method-entry
{
	@[copyinstr(arg0), copyinstr(arg1)] = count();
}

END
{
	printa("%s %s %@d\n", @);
}
