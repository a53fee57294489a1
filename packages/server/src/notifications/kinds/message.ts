import type { ProtectiveOrigin } from '../../db/schema.ts'
import { figure, listed, noteOf, textOf, words } from './words.ts'

type Data = Record<string, unknown>

/** An event for people: `title` fits on a lock screen, and each of `lines` says one more thing. Plain text of one line each. */
export type Message = { title: string; lines: string[] }

/** Writes an event for people. The data may contain texts of others: kinds escape the whole message. */
export function messageOf({ type, data }: { type: string; data: Data }): Message {
  const write = Object.hasOwn(writers, type) ? writers[type] : undefined
  const { title, lines } = write === undefined ? { title: `Event ${type}`, lines: [] } : write(data)
  return {
    title: words(title, 120),
    lines: lines.map((line) => words(line, 160)).filter((line) => line !== ''),
  }
}

const mostInDigest = 10

const writers: Record<string, (data: Data) => Message> = {
  'signal.created': (data) => ({
    title: `Signal: ${signalOf(data)}${at(data.price)}`,
    lines: [
      named('Strategy', data.strategy_name),
      data.delivered === false ? `No bot got it. ${noteOf(data.reason)}` : '',
    ],
  }),
  'signal.failed': (data) => ({
    title: `Signal failed: ${signalOf(data)}`,
    lines: [botOf(data), noteOf(data.reason)],
  }),
  'order.settled': settled,
  'order.unknown': (data) => ({
    title: `Order without an answer: ${orderOf(data)}`,
    lines: [
      botOf(data),
      'The service asks the exchange what became of it, and tells you.',
      noteOf(data.reason),
    ],
  }),
  'limit.reached': limit,
  'position.opened': (data) => ({
    title: `Opened: ${textOf(data.side)} ${figure(data.quantity)} ${textOf(data.symbol)}${at(data.entry_price)}`,
    lines: [botOf(data), data.kind === 'order' ? '' : outsideWords(data.kind)],
  }),
  'position.closed': closed,
  'position.closed_outside': (data) => outside('Closed outside the bot', data),
  'position.liquidated': (data) =>
    outside(data.kind === 'adl' ? 'Closed by auto-deleveraging' : 'Liquidated', data),
  'books.differ': (data) => ({
    title: `Books and account differ: ${textOf(data.symbol)}`,
    lines: [
      botOf(data),
      `The books say ${figure(data.books_size)}, the account says ${figure(data.account_size)}.`,
      noteOf(data.reason),
    ],
  }),
  'close.refused': (data) => ({
    title: `Close refused: ${textOf(data.symbol)}`,
    lines: [
      botOf(data),
      `The exchange has refused it ${figure(data.refusals)} times. The bot tries again.`,
      noteOf(data.reason),
    ],
  }),
  'stop.refused': (data) => ({
    title: `No stop at the exchange: ${textOf(data.symbol)}${at(data.stop_price)}`,
    lines: [botOf(data), 'The service watches the price itself, and tries again.', noteOf(data.reason)],
  }),
  'stop.too_late': (data) => ({
    title: `Stop beyond the liquidation: ${textOf(data.symbol)}${at(data.stop_price)}`,
    lines: [
      botOf(data),
      `The exchange liquidates${at(data.liquidation_price)}, before the stop.`,
      noteOf(data.reason),
    ],
  }),
  'funding.unknown': (data) => ({
    title: `Funding rate unknown: ${textOf(data.symbol)}`,
    lines: [botOf(data), `Of ${textOf(data.at)}. The service books the payment when it knows the rate.`],
  }),
  'bot.failed': (data) => ({
    title: `Bot fails: ${textOf(data.bot_name) || textOf(data.bot_id)}`,
    lines: [
      [`Its last ${figure(data.failed)} signals have failed`, modeOf(data)].filter(Boolean).join(', '),
      named('The latest', signalOf(data)),
      noteOf(data.reason),
    ],
  }),
  'trading.switched': switched,
  'strategy.suspended': (data) => ({
    title: `Suspended: ${textOf(data.strategy_name)}`,
    lines: [
      `Until ${moment(data.until)}. Its positions stay open.`,
      `It broke the rule ${textOf(data.rule)}: ${figure(data.actual)}, where ${figure(data.limit)} is the limit.`,
    ],
  }),
  'run.failed': (data) => ({
    title: `Run failed: ${textOf(data.strategy_name)}`,
    lines: [noteOf((data.error as Data | null)?.message)],
  }),
  'approval.requested': (data) => ({
    title: `Approve? ${approvalOf(data)}`,
    lines: [named('Strategy', data.strategy_name), `Decide before ${moment(data.expires_at)}.`],
  }),
  digest,
  'backtest.finished': (data) => {
    const bots = Array.isArray(data.bots) ? (data.bots as Data[]) : []
    return {
      title: `Backtest ${figure(data.id)} ${data.status === 'FINISHED' ? 'finished' : 'failed'}: ${textOf(data.symbol)}`,
      lines: [noteOf(data.error), ...bots.slice(0, 5).map((bot) => `${textOf(bot.name)}: ${resultOf(bot)}.`)],
    }
  },
  test: () => ({ title: 'Test message', lines: ['The events that you chose arrive here.'] }),
}

/** One line for each mode and currency. */
function digest(data: Data): Message {
  const money = Array.isArray(data.money) ? (data.money as Data[]) : []
  const lines = money.map((one) => {
    const what = `${figure(one.orders)} orders, ${figure(one.open_positions)} open`
    return `${modeOf(one)}: profit ${figure(one.realised)} ${textOf(one.currency)}, ${what}`
  })
  const more = lines.length - mostInDigest
  return {
    title: `Since ${moment(data.since)}`,
    lines: [
      ...(lines.length === 0
        ? ['No bot has traded, and no position is open.']
        : lines.slice(0, mostInDigest)),
      more > 0 ? `And ${more} more currencies.` : '',
      `${figure(data.active_bots)} of ${figure(data.bots)} bots are on.`,
      figure(data.approvals) === '0' ? '' : `${figure(data.approvals)} approvals wait for you.`,
    ],
  }
}

function resultOf({ return_percent, trades }: Data): string {
  const change = typeof return_percent === 'number' ? `${return_percent.toFixed(2)} %` : 'no return'
  return `${change}, ${figure(trades)} trades`
}

function settled(data: Data): Message {
  const { status, side } = data
  const filled = figure(data.filled_size)
  const symbol = textOf(data.symbol)
  const profit = figure(data.realised)
  const gain = data.purpose === 'close' && profit !== '' ? `Profit ${profit}.` : ''
  const lines = [gain, botOf(data), purposeOf(data), noteOf(data.reason)]
  if (status === 'FILLED') {
    return {
      title: `${side === 'buy' ? 'Bought' : 'Sold'} ${filled} ${symbol}${at(data.average_price)}`,
      lines,
    }
  }
  const word = status === 'REJECTED' ? 'Order rejected' : 'Order cancelled'
  const part = filled === '' || filled === '0' ? '' : `Filled: ${filled}${at(data.average_price)}.`
  return { title: `${word}: ${orderOf(data)}`, lines: [part, ...lines] }
}

function closed(data: Data): Message {
  const { symbol, side, kind, origin } = data
  const profit = `${figure(data.realised)} ${textOf(data.currency)}`
  const prices = `From ${figure(data.entry_price)} to ${figure(data.exit_price)}, size ${figure(data.quantity)}.`
  const by = kind === 'order' ? (origin == null ? '' : `Closed by: ${textOf(origin)}.`) : outsideWords(kind)
  return {
    title: `Closed: ${textOf(side)} ${textOf(symbol)}, profit ${profit}`,
    lines: [botOf(data), prices, by],
  }
}

/** What has changed a position without an order of its bot. */
function outsideWords(kind: unknown): string {
  if (kind === 'liquidation') return 'The exchange liquidated it.'
  if (kind === 'adl') return 'The exchange closed it by auto-deleveraging.'
  return kind === 'adopted'
    ? 'You took over the numbers of the account.'
    : 'It happened at the exchange, without the bot.'
}

function switched(data: Data): Message {
  const { halted, changed } = data
  const live = `Live trading is ${data.live_trading === true ? 'on' : 'off'}`
  const what =
    halted === true
      ? ['Trading is halted', 'No bot sends any order, not even to close.']
      : halted === 'openings'
        ? ['Openings are halted', 'Bots open nothing, and go on closing.']
        : ['Trading goes on', '']
  const isHalt = Array.isArray(changed) && changed.includes('halted')
  const reason = noteOf((data.halt as Data | null)?.reason)
  return isHalt
    ? { title: what[0]!, lines: [what[1]!, reason, `${live}.`] }
    : { title: live, lines: [halted === false ? '' : `${what[0]}.`] }
}

function limit(data: Data): Message {
  const closing = Array.isArray(data.closing) && data.closing.length > 0
  const lines = [
    botOf(data),
    closing ? `The bot closes ${listed(data.closing)}.` : 'The bot opens nothing more.',
  ]
  if (data.limit === 'max_drawdown') {
    const equity = `Equity ${figure(data.equity)}, highest ${figure(data.highest_equity)}.`
    return { title: `Drawdown limit reached: ${textOf(data.max_drawdown)}`, lines: [...lines, equity] }
  }
  const amount = `${figure(data.loss)} ${textOf(data.amount_currency)}`
  return {
    title: `Daily loss limit reached: ${amount}`,
    lines: [...lines, `The limit is ${figure(data.max_daily_loss)}.`],
  }
}

function outside(word: string, data: Data): Message {
  const left = figure(data.position_size)
  return {
    title: `${word}: ${textOf(data.side)} ${figure(data.size)} ${textOf(data.symbol)}${at(data.price)}`,
    lines: [
      botOf(data),
      `Profit ${figure(data.realised)}.`,
      left === '' || left === '0' ? '' : `Still open: ${textOf(data.position_side)} ${left}.`,
    ],
  }
}

/** Such as `LONG BTC/USDT, ETH/USDT`. A signal of a bot has one symbol, in another field. */
function signalOf(data: Data): string {
  return [textOf(data.action), textOf(data.symbol) || listed(data.symbols)].filter(Boolean).join(' ')
}

/** Such as `buy 0.5 BTC/USDT`. */
function orderOf(data: Data): string {
  return `${textOf(data.side)} ${figure(data.size)} ${textOf(data.symbol)}`
}

/** The bot and how it trades, such as `Bot follower, paper`. Paper and demo accounts must never pass for real money. */
function botOf(data: Data): string {
  const name = textOf(data.bot_name) || textOf(data.bot_id)
  return [name === '' ? '' : `Bot ${words(name, 80)}`, modeOf(data)].filter(Boolean).join(', ')
}

function modeOf({ mode, demo }: Data): string {
  if (mode === 'paper') return 'paper'
  if (demo === true) return 'demo account'
  return mode === 'live' ? 'live' : ''
}

/** Why a protection closed a position, by the `origin` of the order. */
const closedBy: Record<ProtectiveOrigin, string> = {
  stop_loss: 'The stop of the position.',
  break_even: 'The stop of the position, at break-even.',
  trailing: 'The trailing stop of the position.',
  take_profit: 'The target of the position.',
  time: 'The time of the position was over.',
  unprotected: 'The position had no stop at the exchange for too long.',
}

function purposeOf({ purpose, origin }: Data): string {
  const by = textOf(origin)
  if (Object.hasOwn(closedBy, by)) return closedBy[by as ProtectiveOrigin]
  if (purpose === 'open') return 'It opens or increases the position.'
  return purpose === 'close' ? 'It closes or reduces the position.' : ''
}

function approvalOf(data: Data): string {
  const change = data.change as Data | null | undefined
  if (change == null) return signalOf(data)
  const name = textOf(change.strategy_name)
  return change.status == null ? `New code of ${name}` : `Set ${name} ${textOf(change.status)}`
}

function named(what: string, name: unknown): string {
  return textOf(name) === '' ? '' : `${what} ${words(textOf(name), 80)}`
}

function at(price: unknown): string {
  return figure(price) === '' ? '' : ` at ${figure(price)}`
}

/** Such as `2026-01-31 12:00 UTC`. */
function moment(iso: unknown): string {
  const text = textOf(iso)
  return /^\d{4}-\d\d-\d\dT\d\d:\d\d/.test(text) ? `${text.slice(0, 10)} ${text.slice(11, 16)} UTC` : text
}
