-- SPDX-License-Identifier: BSD-2-Clause
create table t(a integer primary key, b text);
with recursive n(i) as (select 1 union all select i + 1 from n where i < 2000)
insert into t select i, 'row ' || (i * 7 % 100) from n;
create index tb on t(b);
select b, count(*), sum(a) from t group by b order by 3 desc limit 5;
