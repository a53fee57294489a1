import { counted } from '../../base/counted.ts'
import { figure } from '../../notifications/kinds/words.ts'
import {
  type Asked,
  ago,
  botsOf,
  type Command,
  itemsOf,
  type Lines,
  modeOf,
  NotPossible,
  namesOf,
  positionsOf,
  short,
  shown,
} from './command.ts'

/** What a person may ask whose link is for reading. None of these changes anything at the service. */
export const reading: Record<string, Command> = {
  status: { usage: '/status', does: 'your account at a glance', run: status },
  positions: { usage: '/positions', does: 'your open positions', run: positions },
  profit: { usage: '/profit', does: 'equity, and what was realised today', run: profit },
  orders: { usage: '/orders', does: 'the latest orders', run: orders },
  signals: { usage: '/signals', does: 'the latest signals', run: signals },
  bots: { usage: '/bots', does: 'your bots, on and off', run: bots },
  why: { usage: '/why SYMBOL', does: 'why bots do, or do not, trade a symbol', run: why },
  mute: {
    usage: '/mute 2h',
    does: 'messages of your endpoints come without a sound for so long, except about urgent events; /mute off ends it',
    run: mute,
  },
  approvals: { usage: '/approvals', does: 'what waits for your approval', run: approvals },
}

async function status({ api, person }: Asked): Promise<Lines> {
  const [trading, all, open, waiting] = await Promise.all([
    api('GET /api/v2/trading'),
    botsOf(api),
    positionsOf(api),
    api('GET /api/v2/approval?{query}', { status: 'PENDING', limit: 200 }),
  ])
  const active = all.filter(({ status: is }) => is === 'ACTIVE')
  const live = active.filter((bot) => modeOf(bot) === 'live').length
  const stopped = all.filter((bot) => bot.limit_reached_at !== null || bot.drawdown_reached_at !== null)
  const pending = itemsOf(waiting).length
  return [
    `Account ${short(person.email)}`,
    haltLine(trading),
    `Live trading is ${trading.live_trading ? 'on' : 'off'}.`,
    `${active.length} of ${all.length} bots are on, ${live} of them with real money.`,
    stopped.length === 0 ? '' : `Bots that have reached a limit of losses: ${stopped.length}`,
    `Open positions: ${open.length}`,
    pending === 0 ? '' : `Waiting for your approval: ${pending}. See /approvals`,
    ...(await equityLines(api)),
  ]
}

function haltLine({
  halted,
  halt,
}: {
  halted: boolean | 'openings'
  halt: { reason: string | null } | null
}): string {
  if (halted === false) return 'Trading is not halted.'
  const reason = halt?.reason ? `: ${short(halt.reason, 160)}` : '.'
  return halted === 'openings' ? `Openings are halted${reason}` : `TRADING IS HALTED${reason}`
}

async function positions({ api }: Asked): Promise<Lines> {
  const [open, all] = await Promise.all([positionsOf(api), botsOf(api)])
  const nameOf = namesOf(all)
  if (open.length === 0) return ['No position is open.']
  return shown(open, (one) => {
    const now = one.price === null ? 'no current price' : `now ${figure(one.price)}`
    const gain = one.unrealised === null ? '' : `, profit ${figure(one.unrealised)}`
    const stop = one.protection?.stop_price ? `, stop ${figure(one.protection.stop_price)}` : ''
    return `${one.side} ${figure(one.size)} ${short(one.symbol)} at ${figure(one.entry_price)}, ${now}${gain}${stop} (${nameOf(one.bot_id)})`
  })
}

async function profit({ api }: Asked): Promise<Lines> {
  const lines = await equityLines(api)
  return lines.length === 0 ? ['You have no bots.'] : lines
}

/** One line for each mode and currency: nothing adds up different ones. */
async function equityLines(api: Asked['api']): Promise<Lines> {
  const { groups } = await api('GET /api/v2/equity')
  return groups.map((group) => {
    const worth = group.equity === null ? 'unknown' : figure(group.equity)
    const missing =
      group.unknown_bots === 0 ? '' : ` (without ${counted(group.unknown_bots, 'bot')} of unknown equity)`
    return `Equity ${modeOf(group)}: ${worth} ${group.currency}${missing}, realised today ${figure(group.realised_today)}`
  })
}

async function orders({ api }: Asked): Promise<Lines> {
  const [list, all] = await Promise.all([api('GET /api/v2/order?{query}', { limit: 10 }), botsOf(api)])
  const nameOf = namesOf(all)
  const items = itemsOf(list)
  if (items.length === 0) return ['There are no orders yet.']
  return shown(items, (one) => {
    const price = one.average_price === null ? '' : ` at ${figure(one.average_price)}`
    const why = one.reason === null ? '' : `: ${short(one.reason, 120)}`
    return `${one.status}: ${one.side} ${figure(one.size)} ${short(one.symbol)}${price}, ${ago(one.created_at, Date.now())} (${nameOf(one.bot_id)})${why}`
  })
}

async function signals({ api }: Asked): Promise<Lines> {
  const items = itemsOf(await api('GET /api/v2/signal?{query}', { limit: 10 }))
  if (items.length === 0) return ['There are no signals yet.']
  return shown(items, (one) => {
    const to = one.reason === null ? counted(one.bots_total, 'bot') : short(one.reason, 120)
    return `${one.action} ${short(one.symbols.join(' '), 60)}, ${ago(one.created_at, Date.now())}: ${to}`
  })
}

async function bots({ api }: Asked): Promise<Lines> {
  const all = await botsOf(api)
  if (all.length === 0) return ['You have no bots.']
  return shown(all, (bot) => {
    const stop =
      bot.drawdown_reached_at !== null
        ? ', stopped by max_drawdown'
        : bot.limit_reached_at !== null
          ? ', reached max_daily_loss'
          : ''
    return `${bot.id}: ${short(bot.name, 40)}, ${modeOf(bot)}, ${bot.status === 'ACTIVE' ? 'on' : 'off'}${stop}`
  })
}

async function why({ api, rest }: Asked): Promise<Lines> {
  const symbol = rest.trim()
  if (!/^[\w/:.-]{1,64}$/.test(symbol)) throw new NotPossible('Name a symbol, such as /why BTCUSDT')
  const [trading, all, latest] = await Promise.all([
    api('GET /api/v2/trading'),
    botsOf(api),
    api('GET /api/v2/bot-signal?{query}', { limit: 200 }),
  ])
  const nameOf = namesOf(all)
  const hindered = all.flatMap((bot) => {
    if (bot.status === 'INACTIVE') return [`${nameOf(bot.id)}: it is off.`]
    if (bot.mode === 'live' && !trading.live_trading) return [`${nameOf(bot.id)}: live trading is off.`]
    if (bot.drawdown_reached_at !== null) return [`${nameOf(bot.id)}: it has reached max_drawdown.`]
    return bot.limit_reached_at === null ? [] : [`${nameOf(bot.id)}: it reached max_daily_loss.`]
  })
  const items = itemsOf(latest)
    .filter((one) => isSame(symbol, one.symbol))
    .slice(0, 5)
  const told = items.map((one) => {
    const reason = one.reason === null ? '' : `: ${short(one.reason, 160)}`
    return `${one.action} ${short(one.symbol)} is ${one.status}, ${ago(one.queued_at, Date.now())} (${nameOf(one.bot_id)})${reason}`
  })
  return [
    trading.halted === false ? '' : haltLine(trading),
    ...shown(hindered, (line) => line),
    ...(told.length === 0 ? [`None of your bots has got a signal for ${short(symbol)} lately.`] : told),
  ]
}

/** As a person writes symbols: `btcusdt` is `BTC/USDT`, and `BTC/USDT:USDT` too. */
function isSame(wanted: string, symbol: string): boolean {
  const plain = (text: string) => text.toUpperCase().replaceAll(/[^A-Z0-9]/g, '')
  return [symbol, symbol.split(':')[0]!].some((one) => plain(one) === plain(wanted))
}

async function approvals({ api }: Asked): Promise<Lines> {
  const items = itemsOf(await api('GET /api/v2/approval?{query}', { status: 'PENDING', limit: 50 }))
  if (items.length === 0) return ['Nothing waits for your approval.']
  return shown(items, (one) => {
    const what =
      one.change === null
        ? `${one.action} ${short(one.symbols.join(' '), 60)}`
        : one.change.status === null
          ? `new code of ${short(one.change.strategy_name, 40)}`
          : `set ${short(one.change.strategy_name, 40)} ${one.change.status}`
    return `${one.id}: ${what}, asked by ${short(one.strategy_name, 40)}, until ${one.expires_at.slice(0, 16).replace('T', ' ')} UTC`
  })
}

const minutesIn = { m: 1, h: 60, d: 1_440 } as const
const longestMuteMinutes = 7 * 1_440

async function mute({ person, rest, mute: set }: Asked): Promise<Lines> {
  const [, count, unit] = /^(\d{1,4})\s*([mhd])$/i.exec(rest.trim()) ?? []
  const isOff = rest.trim().toLowerCase() === 'off'
  const minutes =
    count === undefined ? null : Number(count) * minutesIn[unit!.toLowerCase() as keyof typeof minutesIn]
  if (!isOff && (minutes === null || minutes < 1 || minutes > longestMuteMinutes))
    throw new NotPossible('For how long? Such as /mute 30m, /mute 2h, /mute 7d at most, or /mute off')
  const muted = await set(person.userId, isOff ? null : minutes)
  if (muted === 0)
    return [
      'None of your notification endpoints can be silent: only Telegram, Discord, ntfy and Pushover can.',
    ]
  return [
    isOff
      ? `${muted} endpoints sound again.`
      : `${muted} endpoints are silent for ${count}${unit}. Urgent events still sound.`,
  ]
}
