import { eachOf } from '@tickwright/client'
import type { Context } from '../context.ts'
import { modeOf } from './columns.ts'

/** The state of the account at a glance, with everything that waits for somebody. */
export async function status(context: Context): Promise<void> {
  const { client, url } = await context.connection()
  const [me, trading, equity, pending] = await Promise.all([
    client.users.me(),
    client.trading.get(),
    client.equity.get(),
    client.approvals.list({ page: 1, limit: 1, status: 'PENDING' }),
  ])
  const counts = { bots: 0, active_bots: 0, active_live_bots: 0, stopped_bots: 0, positions: 0 }
  for await (const bot of eachOf(client.bots.signal.list)) {
    counts.bots++
    if (bot.status === 'ACTIVE') {
      counts.active_bots++
      if (bot.mode === 'live') counts.active_live_bots++
    }
    if (bot.limit_reached_at !== null || bot.drawdown_reached_at !== null) counts.stopped_bots++
  }
  for await (const _ of eachOf(client.positions.list)) counts.positions++
  const approvals = 'total' in pending ? pending.total : pending.length
  const worth = equity.groups.map(
    ({ equity, currency, realised_today, ...bots }) =>
      `${equity ?? 'unknown'} ${currency} ${modeOf(bots)}, ${realised_today} realised today`,
  )
  const { bots, active_bots, active_live_bots, stopped_bots, positions } = counts
  const record = { url, user: me.email, trading, ...counts, approvals, equity: equity.groups }
  context.out.record(record, [
    ['service', url],
    ['user', me.email],
    ['live trading', trading.live_trading ? 'on' : 'off'],
    ['halted', haltOf(trading)],
    ['bots', `${active_bots} of ${bots} active, ${active_live_bots} of them live`],
    ['stopped', stopped_bots === 0 ? undefined : `${stopped_bots} bots reached a limit of losses`],
    ['positions', positions],
    ['approvals', approvals === 0 ? undefined : `${approvals} wait for you`],
    ...worth.map((line) => ['equity', line] as const),
  ])
}

function haltOf({
  halted,
  halt,
}: {
  halted: boolean | 'openings'
  halt: { reason: string | null } | null
}): string {
  if (halted === false) return 'no'
  const what = halted === 'openings' ? 'openings only' : 'everything'
  return halt?.reason == null ? what : `${what}: ${halt.reason}`
}
