-- Decides which actions of an account are accepted: at most `at_most` of them within `period`.
-- accepted: when the latest ones were asked for, in the order in which they were accepted.
-- asked_at, asking_runs: the actions to decide on, in their order, each by its run.
-- Each action counts at its own time, in whatever order they arrive: after an outage of the database, an action that
-- has waited can arrive after later ones, and the clock of the database may have been set back.
-- It is enough to know the latest 3 * at_most: if no action arrives a whole period after a later one, all of those
-- that it has to be compared with are among them, and the count is exact.
create or replace function grant_actions(
  accepted timestamptz[], asked_at timestamptz[], asking_runs bigint[], at_most integer, period interval,
  out now_accepted timestamptz[], out granted_runs bigint[]
) language plpgsql immutable as $$
declare
  moment timestamptz;
  other timestamptz;
  near integer;
begin
  now_accepted := accepted;
  granted_runs := '{}';
  for n in 1 .. cardinality(asked_at) loop
    moment := asked_at[n];
    -- Most actions have few others near them. Counting these is cheaper than the query.
    near := 0;
    foreach other in array now_accepted loop
      if other > moment - period and other < moment + period then
        near := near + 1;
      end if;
    end loop;
    -- A period that would have too many begins with this action, or with an earlier one.
    if near < at_most or not exists (
      select from unnest(now_accepted || moment) as begun
      where begun > moment - period and begun <= moment and at_most <= (
        select count(*) from unnest(now_accepted) as within where within >= begun and within < begun + period
      )
    ) then
      now_accepted := now_accepted[greatest(cardinality(now_accepted) - 3 * at_most + 2, 1):] || moment;
      granted_runs := granted_runs || asking_runs[n];
    end if;
  end loop;
end
$$;
