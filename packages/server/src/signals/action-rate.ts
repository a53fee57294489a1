import { actionsPerSecond } from '@tickwright/sandbox'

/**
 * The text of a CTE `counted`, which counts actions by account and returns `granted_runs`. If several nodes count for the
 * same account, they do so one after another: ON CONFLICT waits for the row, and continues with the values of the other.
 * @param asked the name of a CTE with `user_id`, `run_id`, `asked_at` and their order `n`
 */
export const countedSql = (asked: string) => `
  insert into action_rates as r (user_id, accepted, asked_at, asking_runs, granted_runs)
  select a.user_id, f.now_accepted, a.asked_at, a.runs, f.granted_runs
  from (
    select user_id, array_agg(asked_at order by n) as asked_at, array_agg(run_id order by n) as runs
    from ${asked} group by user_id
  ) a, grant_actions('{}', a.asked_at, a.runs, ${actionsPerSecond}, '1 second') f
  -- In the same order on all nodes, so that two of them cannot deadlock.
  order by a.user_id
  on conflict (user_id) do update set (accepted, asked_at, asking_runs, granted_runs) = (
    select f.now_accepted, excluded.asked_at, excluded.asking_runs, f.granted_runs
    from grant_actions(
      r.accepted, excluded.asked_at, excluded.asking_runs, ${actionsPerSecond}, '1 second'
    ) f
  )
  returning granted_runs`

const periodMs = 1_000

/** As many as an action can have to be compared with, if it arrives less than a period after a later one. */
const rememberedActions = 3 * actionsPerSecond

/** The same in memory, for one account: which of its actions are accepted. */
export class ActionRate {
  /** When the latest accepted actions were asked for, in Unix ms, in the order in which they were accepted. */
  #accepted: number[]

  /** @param accepted goes on with what another one had accepted */
  constructor(accepted: readonly number[] = []) {
    this.#accepted = [...accepted]
  }

  get accepted(): readonly number[] {
    return this.#accepted
  }

  /** Whether it accepts an action, unless a second around it already has all that an account may have in one. */
  wouldAccept(askedAtMs: number): boolean {
    const near = this.#accepted.filter((atMs) => Math.abs(atMs - askedAtMs) < periodMs)
    if (near.length < actionsPerSecond) return true
    const isFull = (begunMs: number) =>
      near.filter((atMs) => atMs >= begunMs && atMs < begunMs + periodMs).length >= actionsPerSecond
    // A second that would have too many begins with this action, or with an earlier one.
    return ![...near, askedAtMs].some((begunMs) => begunMs <= askedAtMs && isFull(begunMs))
  }

  /** Counts an action, if it is accepted. */
  accept(askedAtMs: number): boolean {
    if (!this.wouldAccept(askedAtMs)) return false
    this.#accepted.push(askedAtMs)
    if (this.#accepted.length > rememberedActions) this.#accepted.shift()
    return true
  }
}
