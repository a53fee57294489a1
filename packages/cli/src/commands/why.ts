import { type BotSignal, eachOf } from '@tickwright/client'
import type { Context } from '../context.ts'
import { botSignalColumns } from './columns.ts'
import { first } from './looking.ts'

/** How far back this looks: beyond that, an answer would be about another time. */
const mostSearched = 5000

/**
 * Why bots did, or did not, trade a symbol: what keeps them from it now, then what they did with its latest signals.
 */
export async function why(context: Context, symbol: string, { limit }: { limit: number }): Promise<void> {
  const client = await context.client()
  const trading = await client.trading.get()
  for (const reason of await hindrances(context, trading)) context.out.say(reason)
  const isIt = sameSymbol(symbol)
  const latest = await first(matching(eachOf(client.botSignals.list), isIt), limit)
  context.out.rows(botSignalColumns, latest, `None of your bots has got a signal for ${symbol} lately.`)
  if (latest.length > 0) return
  // A signal that reached no bot says itself why.
  let searched = 0
  for await (const { id, symbols, reason, delivered } of eachOf(client.signals.list)) {
    if (++searched > mostSearched) return
    if (!symbols.some(isIt)) continue
    context.out.say(
      `Signal ${id} named it${delivered ? '' : ', but reached no bot'}: ${reason ?? 'no reason given'}`,
    )
    return
  }
  context.out.say('No signal has named it either. Look at: tickwright refusals, tickwright runs')
}

/** What keeps any bot from trading, as sentences. */
async function hindrances(
  context: Context,
  {
    halted,
    live_trading,
    halt,
  }: { halted: boolean | 'openings'; live_trading: boolean; halt: { reason: string | null } | null },
): Promise<string[]> {
  const found: string[] = []
  const because = halt?.reason == null ? '' : `: ${halt.reason}`
  if (halted === true) found.push(`Trading is halted${because}.`)
  if (halted === 'openings') found.push(`Openings are halted${because}.`)
  const { bots } = await context.client()
  for await (const { id, name, status, mode, limit_reached_at, drawdown_reached_at } of eachOf(
    bots.signal.list,
  )) {
    const bot = `Bot ${id} (${name})`
    if (status === 'INACTIVE') found.push(`${bot} is off.`)
    if (mode === 'live' && !live_trading) found.push(`${bot} is live, and live trading is off.`)
    if (limit_reached_at !== null)
      found.push(`${bot} has reached max_daily_loss, and opens nothing more today.`)
    if (drawdown_reached_at !== null)
      found.push(`${bot} has reached max_drawdown, and opens nothing until you reset it.`)
  }
  return found
}

async function* matching(records: AsyncIterable<BotSignal>, isIt: (symbol: string) => boolean) {
  let searched = 0
  for await (const record of records) {
    if (++searched > mostSearched) return
    if (isIt(record.symbol)) yield record
  }
}

/** Compares as a person writes symbols: `btcusdt` is `BTC/USDT`, and `BTC/USDT:USDT` too. */
export function sameSymbol(wanted: string): (symbol: string) => boolean {
  const plain = (symbol: string) => symbol.toUpperCase().replaceAll(/[^A-Z0-9]/g, '')
  const exact = plain(wanted)
  return (symbol) => plain(symbol) === exact || plain(symbol.split(':')[0]!) === exact
}
