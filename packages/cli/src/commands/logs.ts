import { eachOf, type LiveEvent } from '@tickwright/client'
import type { Context } from '../context.ts'
import { problemOf, type RunInList, timeOf } from './columns.ts'
import { first } from './looking.ts'

type Options = { follow?: boolean; strategy?: number; limit: number }

/** A run that ended longer ago than this many others is not shown twice. */
const mostRemembered = 10_000

/** What happens, besides runs, that belongs between the lines of their logs. */
const followed = [
  'run',
  'signal',
  'bot_signal',
  'fill',
  'refused_post',
  'suspension',
  'trading_switch',
] as const

/** Shows the logs of the latest runs, oldest first, and with `follow` everything from then on. */
export async function logs(context: Context, { follow, strategy, limit }: Options): Promise<void> {
  const client = await context.client()
  const query = strategy === undefined ? {} : { strategy_id: strategy }
  const shown = new Set<number>()
  const showEnded = (run: RunInList) => {
    if (run.finished_at === null || shown.has(run.id)) return
    shown.add(run.id)
    if (shown.size > mostRemembered) shown.delete(shown.values().next().value!)
    showRun(context, run)
  }
  const showLatest = async () => {
    const latest = await first(
      eachOf((part) => client.runs.list({ ...part, ...query })),
      limit,
    )
    for (const run of latest.reverse()) showEnded(run)
  }
  await showLatest()
  if (follow !== true) return
  context.out.say('Following. End with Ctrl-C.')
  let lost = false
  let opened = false
  const events = client.live({
    kinds: followed,
    ...(strategy === undefined ? {} : { strategyId: strategy }),
    onLost: () => {
      if (!lost) context.out.say('The connection is lost. Connecting again …')
      lost = true
    },
    onOpen: () => {
      if (lost) context.out.say('Connected again.')
      lost = false
      opened = true
    },
  })
  for await (const event of events) {
    // Runs that ended before the stream began, and after the list was read.
    if (opened) await showLatest()
    opened = false
    if (event.kind === 'run') showEnded(event.data)
    else if (event.kind === 'resync') await showLatest()
    else context.out.text(lineOf(event), { kind: event.kind, ...event.data })
  }
}

function showRun({ out }: Context, run: RunInList): void {
  const { id, strategy_id, status, finished_at, log } = run
  if (out.json) {
    out.text('', { kind: 'run', ...run })
    return
  }
  const problem = problemOf(run)
  const at = timeOf(finished_at)
  out.text(
    `${at} run ${id} of strategy ${strategy_id}: ${status}${problem === null ? '' : `, ${problem}`}`,
    run,
  )
  for (const line of (log ?? '').split('\n')) if (line !== '') out.text(`  ${line}`, run)
}

/** An event as a line. Events of other kinds are not asked for. */
function lineOf(event: LiveEvent): string {
  switch (event.kind) {
    case 'signal': {
      const { id, action, symbols, created_at } = event.data
      return `${timeOf(created_at)} signal ${id}: ${action} ${symbols.join(' ')}`
    }
    case 'bot_signal': {
      const { bot_id, symbol, status, reason, signal_id, queued_at, finished_at } = event.data
      const why = reason === null ? '' : `: ${reason}`
      return `${timeOf(finished_at ?? queued_at)} bot ${bot_id}, signal ${signal_id} for ${symbol}: ${status}${why}`
    }
    case 'fill': {
      const { bot_id, side, size, symbol, price, filled_at } = event.data
      return `${timeOf(filled_at)} bot ${bot_id}: ${side} ${size} ${symbol} at ${price}`
    }
    case 'refused_post':
      return `${timeOf(String(event.data.refused_at))} webhook ${event.data.webhook_id} refused a post: ${event.data.reason}`
    case 'suspension':
      return `${event.data.type} ${event.data.id} (${event.data.name}) is suspended until ${event.data.suspended_until}`
    case 'trading_switch':
      return `Trading: halted ${event.data.halted}, live trading ${event.data.live_trading}`
    default:
      return event.kind
  }
}
