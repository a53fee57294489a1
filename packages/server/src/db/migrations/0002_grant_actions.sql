-- Decides which actions of an account are accepted: at most `at_most` of them within `period`.
-- accepted: when the latest ones were accepted, the oldest first; not more than `at_most` are needed.
-- asked_at, asking_runs: the actions to decide on, in their order, each by its run.
-- An action that was asked for before the latest accepted one, on a node that was slower to tell, counts as
-- being asked for with it: so that the times stay in order.
create function grant_actions(
  accepted timestamptz[], asked_at timestamptz[], asking_runs bigint[], at_most integer, period interval,
  out now_accepted timestamptz[], out granted_runs bigint[]
) language plpgsql immutable as $$
declare
  moment timestamptz;
  count integer;
begin
  now_accepted := accepted;
  granted_runs := '{}';
  for n in 1 .. cardinality(asked_at) loop
    count := cardinality(now_accepted);
    moment := greatest(asked_at[n], now_accepted[count]);
    if count < at_most or now_accepted[count - at_most + 1] <= moment - period then
      now_accepted := now_accepted[greatest(count - at_most + 2, 1):] || moment;
      granted_runs := granted_runs || asking_runs[n];
    end if;
  end loop;
end
$$;
