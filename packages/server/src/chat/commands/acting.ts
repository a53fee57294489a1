import type { ChatAction } from '../../db/schema.ts'
import type { Api } from '../../mcp/api.ts'
import { figure } from '../../notifications/kinds/words.ts'
import {
  type Asked,
  amountOf,
  type Bot,
  botNamed,
  botsOf,
  type Command,
  type Lines,
  modeOf,
  NotPossible,
  namesOf,
  type Offer,
  positionsOf,
  short,
} from './command.ts'

/**
 * What a person may do whose link is for control. What only lowers risk happens at once; everything else offers a button.
 * The routes of the API do it, with all their checks.
 */
export const acting: Record<string, Command> = {
  halt: {
    usage: '/halt',
    does: 'at once: switches your bots off; of an administrator, halts all trading',
    run: halt,
  },
  resume: { usage: '/resume', does: 'ends a halt of all trading (administrators)', run: resume },
  on: { usage: '/on BOT', does: 'switches a bot on', run: on },
  off: { usage: '/off BOT', does: 'at once: switches a bot off; its positions stay open', run: off },
  close: { usage: '/close BOT SYMBOL', does: 'closes a position, or all of a bot with “all”', run: close },
  closeall: {
    usage: '/closeall',
    does: 'switches all your bots off and closes all their positions',
    run: closeAll,
  },
  approve: { usage: '/approve NUMBER', does: 'approves what waits for you', run: approve },
  reject: { usage: '/reject NUMBER', does: 'at once: rejects it', run: reject },
}

async function halt({ api, person }: Asked): Promise<Lines> {
  if (person.role === 'admin') {
    const { halt: now } = await api('PUT /api/v2/trading {body}', {
      halted: true,
      reason: 'Halted from Telegram',
    })
    const watched = now?.watched_total ?? 0
    return [
      'TRADING IS HALTED, for all users: no bot sends any order, not even to close.',
      watched === 0
        ? ''
        : `${watched} of your positions have no stop at the exchange, and the service does not close them meanwhile.`,
      '/resume ends the halt.',
    ]
  }
  return switchAllOff(api)
}

/** One bot that cannot be switched keeps no other on. */
async function switchAllOff(api: Api): Promise<Lines> {
  const active = (await botsOf(api)).filter(({ status }) => status === 'ACTIVE')
  const failed: string[] = []
  for (const bot of active) {
    await setStatus(api, bot.id, 'INACTIVE').catch((error: unknown) => {
      failed.push(short(bot.name, 40))
      if (failed.length === active.length) throw error
    })
  }
  const open = (await positionsOf(api)).length
  return [
    failed.length === 0
      ? `All your bots are off. Bots that were on: ${active.length}. They open nothing.`
      : `STILL ON: ${failed.join(', ')}. All others are off.`,
    open === 0 ? 'No position is open.' : `Positions that stay open: ${open}. To close them: /closeall`,
  ]
}

async function resume({ api, person }: Asked): Promise<Offer | Lines> {
  const { halted, halt: now } = await api('GET /api/v2/trading')
  if (person.role !== 'admin')
    throw new NotPossible('Only an administrator can end a halt. To switch a bot of yours on: /on BOT')
  if (halted === false) return ['Trading is not halted.']
  const all = await botsOf(api)
  const live = all.filter((bot) => bot.status === 'ACTIVE' && modeOf(bot) === 'live').length
  return {
    lines: [
      'End the halt of all trading? Bots of all users then trade again.',
      now?.reason ? `It was halted because: ${short(now.reason, 160)}` : '',
      `Your bots that are on and trade real money: ${live}.`,
    ],
    action: { name: 'resume' },
    word: 'End the halt',
  }
}

async function on({ api, rest }: Asked): Promise<Offer | Lines> {
  const bot = botNamed(await botsOf(api), rest)
  if (bot.status === 'ACTIVE') return [`${short(bot.name, 40)} is on already.`]
  return {
    lines: [
      `Switch on bot ${bot.id}: ${short(bot.name, 40)}?`,
      `It trades ${moneyOf(bot)}.`,
      `Symbols: ${bot.symbol === null ? 'all that its webhook receives' : short(bot.symbol, 120)}`,
      `Each opening: ${amountOf(bot)}`,
    ],
    action: { name: 'on', botId: bot.id },
    word: `Switch on, ${moneyOf(bot)}`,
  }
}

async function off({ api, rest }: Asked): Promise<Lines> {
  const bot = botNamed(await botsOf(api), rest)
  await setStatus(api, bot.id, 'INACTIVE')
  const open = (await positionsOf(api, { bot_id: bot.id })).length
  return [
    `${short(bot.name, 40)} is off.`,
    open === 0 ? '' : `Positions that stay open: ${open}. To close them: /close ${bot.id} all`,
  ]
}

async function close({ api, rest }: Asked): Promise<Offer> {
  const [, name = '', symbol = ''] = /^(.*\S)\s+(\S+)$/s.exec(rest.trim()) ?? []
  if (name === '') throw new NotPossible('Name bot and symbol, such as /close 3 BTCUSDT, or /close 3 all')
  const bot = botNamed(await botsOf(api), name)
  const isAll = symbol.toLowerCase() === 'all'
  if (!isAll && !/^[\w/:.-]{1,64}$/.test(symbol)) throw new NotPossible('That is no symbol.')
  const open = await positionsOf(api, { bot_id: bot.id, ...(isAll ? {} : { symbol }) })
  if (open.length === 0) throw new NotPossible('The bot has no such position.')
  if (!isAll && open.length > 1)
    throw new NotPossible(
      `Several positions fit: ${open.map((one) => short(one.symbol)).join(', ')}. Write one in full.`,
    )
  const lines = await Promise.all(open.slice(0, 10).map((one) => positionLine(api, one, bot)))
  return {
    lines: [
      `Close ${isAll ? `all positions (${open.length})` : 'this position'} of bot ${bot.id}, at the market?`,
      `${short(bot.name, 40)}: ${moneyOf(bot)}`,
      ...lines,
      open.length > 10 ? `And ${open.length - 10} more.` : '',
    ],
    action: { name: 'close', botId: bot.id, ...(isAll ? {} : { symbol: open[0]!.symbol }) },
    word: `Close, ${moneyOf(bot)}`,
  }
}

async function closeAll({ api }: Asked): Promise<Offer> {
  const [open, all] = await Promise.all([positionsOf(api), botsOf(api)])
  const byId = new Map(all.map((bot) => [bot.id, bot]))
  const nameOf = namesOf(all)
  const lines = await Promise.all(
    open
      .slice(0, 10)
      .map(async (one) => `${await positionLine(api, one, byId.get(one.bot_id))} (${nameOf(one.bot_id)})`),
  )
  return {
    lines: [
      `Switch all your bots off, and then close all positions (${open.length}) at the market?`,
      ...lines,
      open.length > 10 ? `And ${open.length - 10} more.` : '',
    ],
    action: { name: 'closeall' },
    word: 'Close everything',
  }
}

async function approve({ api, rest }: Asked): Promise<Offer> {
  const approval = await api('GET /api/v2/approval/{id}', numberIn(rest))
  const { id, strategy_name, action, symbols, change, status, expires_at } = approval
  if (status !== 'PENDING') throw new NotPossible(`Approval ${id} is ${status}.`)
  const what =
    change === null
      ? `${action} ${short(symbols.join(' '), 80)}`
      : change.status === null
        ? `new code for ${short(change.strategy_name, 40)}; read it on the dashboard first`
        : `set ${short(change.strategy_name, 40)} ${change.status}`
  const bots = (await botsOf(api)).filter((bot) => bot.status === 'ACTIVE')
  const live = bots.filter((bot) => modeOf(bot) === 'live').length
  return {
    lines: [
      `Approve ${id}: ${what}?`,
      `${short(strategy_name, 40)} asks for it, until ${expires_at.slice(0, 16).replace('T', ' ')} UTC.`,
      `The bots that follow it use their own sizes. Your bots that are on and trade real money: ${live}.`,
      ...(await Promise.all(
        symbols.slice(0, 5).map((symbol) => priceLine(api, bots[0]?.exchange_id, symbol)),
      )),
    ],
    action: { name: 'approve', approvalId: id },
    word: 'Approve',
  }
}

async function reject({ api, rest }: Asked): Promise<Lines> {
  const { id, status } = await api('POST /api/v2/approval/{id}/reject', numberIn(rest))
  return [`Approval ${id} is ${status}.`]
}

/** Does what a button says. With the same idempotency key, it does it once. */
export async function perform(action: ChatAction, api: Api): Promise<Lines> {
  switch (action.name) {
    case 'resume': {
      await api('PUT /api/v2/trading {body}', { halted: false })
      return ['The halt is over. Bots trade again.']
    }
    case 'on': {
      await setStatus(api, action.botId!, 'ACTIVE')
      return [`Bot ${action.botId} is on.`]
    }
    case 'close': {
      const body = action.symbol === undefined ? {} : { symbol: action.symbol }
      const { signals } = await api('POST /api/v2/bot/signal/cex/{id}/close {body}', action.botId!, body)
      return [`Closing: ${signals.map(({ symbol, status }) => `${short(symbol)} ${status}`).join(', ')}`]
    }
    case 'closeall': {
      const { bots, signals } = await api('POST /api/v2/trading/panic')
      return [
        `All your bots are off. Bots that were on or had positions: ${bots.length}. Positions that are closing: ${signals.length}.`,
      ]
    }
    case 'approve': {
      const { id, status, signal_id } = await api('POST /api/v2/approval/{id}/approve', action.approvalId!)
      return [`Approval ${id} is ${status}.${signal_id === null ? '' : ` Signal ${signal_id}.`}`]
    }
    default:
      throw new NotPossible('This button no longer works.')
  }
}

async function setStatus(api: Api, id: number, status: 'ACTIVE' | 'INACTIVE'): Promise<void> {
  await api('PUT /api/v2/bot/signal/cex/{id}/status {body}', id, { status })
}

type Position = { symbol: string; side: 'long' | 'short' | null; size: string; unrealised: string | null }

async function positionLine(
  api: Api,
  one: Position,
  bot: Pick<Bot, 'exchange_id'> | undefined,
): Promise<string> {
  const gain = one.unrealised === null ? '' : `, profit ${figure(one.unrealised)}`
  return `${one.side} ${figure(one.size)} ${await priceLine(api, bot?.exchange_id, one.symbol)}${gain}`
}

/** The symbol with its price, and how old that is. Without a current price, that is what it says. */
async function priceLine(api: Api, exchangeId: number | undefined, symbol: string): Promise<string> {
  const none = `${short(symbol)}, no current price`
  if (exchangeId === undefined) return none
  try {
    const { price, at } = await api('GET /api/v2/market/price?{query}', {
      exchange: String(exchangeId),
      symbol,
    })
    const seconds = Math.max(0, (Date.now() - Date.parse(at)) / 1000)
    return `${short(symbol)} at ${figure(price)} (price ${seconds.toFixed(1)} s old)`
  } catch {
    return none
  }
}

function moneyOf(bot: Pick<Bot, 'mode' | 'demo'>): string {
  const mode = modeOf(bot)
  return mode === 'live' ? 'REAL MONEY' : mode
}

function numberIn(text: string): number {
  const number = /^\s*(\d{1,15})\s*$/.exec(text)?.[1]
  if (number === undefined) throw new NotPossible('Name the approval by its number: /approvals lists them.')
  return Number(number)
}
