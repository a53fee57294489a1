import { asPrice, exactly } from '../bots/shown-figures.ts'
import type { BotSignalStatus, OrderStatus } from '../db/schema.ts'
import type { BotRow, FillRow, OrderRow } from './rows.ts'
import { between, type Step, type Timeline } from './timeline.ts'

/**
 * Adds what bots did with signals.
 * @param rows in order of signal, order and fill
 * @param causes the step of each signal
 */
export function addBots(
  timeline: Timeline,
  rows: readonly BotRow[],
  causes: ReadonlyMap<number, Step>,
): void {
  for (const of of Map.groupBy(rows, ({ botSignal }) => botSignal.id).values()) {
    const row = of[0]!
    const got = addBot(timeline, row, causes.get(row.botSignal.signalId))
    let latest = got
    const orders = Map.groupBy(
      of.filter(({ order }) => order !== null),
      ({ order }) => order!.id,
    )
    for (const fills of orders.values()) {
      const { order, bot } = fills[0]!
      const ended = addOrder(timeline, { order: order!, bot, got, cause: latest, fills })
      if (ended.place >= latest.place) latest = ended
    }
    addEnd(timeline, row, got, latest)
  }
}

/** Signals that are not at their end. */
const open: Partial<Record<BotSignalStatus, string>> = {
  DELAYED: 'The bot waits before it follows the signal: its delay_seconds and latency_ms are not over.',
  QUEUED: 'The bot has not begun with the signal.',
  WORKING: 'The bot is working on the signal.',
  CLOSING: 'The bot will try the close again.',
  WAITING: 'The close waits for the owner of the bot.',
}

function addBot(timeline: Timeline, { botSignal, bot }: BotRow, cause: Step | undefined): Step {
  const { id, botId, signalId, symbol, status, reason, queuedAt, dueAt, finishedAt } = botSignal
  const kind = bot.mode === 'paper' ? 'Paper bot' : 'Live bot'
  const waits = open[status]
  const delayed = dueAt === null ? '' : `, and delays it until ${dueAt.toISOString()}`
  return timeline.add(
    {
      kind: 'bot',
      text: `${kind} ${botId} got the signal for ${symbol}${delayed}.`,
      at: queuedAt.getTime(),
      tookMs: between(queuedAt, finishedAt),
      reason: waits === undefined ? null : joined(waits, reason),
      ...(!unusual.has(status) && { isUsual: true }),
      ids: { signal_id: signalId, bot_id: botId, bot_signal_id: id },
    },
    cause,
  )
}

function addEnd(timeline: Timeline, { botSignal }: BotRow, got: Step, latest: Step): void {
  const { botId, status, reason, finishedAt } = botSignal
  if (status in open) return
  const ended = { at: finishedAt?.getTime() ?? null, ids: got.ids }
  if (status === 'DONE') {
    const text = joined(`Bot ${botId} has followed the signal.`, reason)
    timeline.add({ kind: 'settled', text, ...ended }, latest)
    return
  }
  const text = `Bot ${botId} ${notFollowed[status as keyof typeof notFollowed]}.`
  const isUsual = !unusual.has(status)
  timeline.add({ kind: 'missing', text, ...ended, reason: reason ?? text, isUsual }, latest)
}

/** A bot that ignores a signal has nothing to do, and one that works on it is about to end. */
const unusual: ReadonlySet<string> = new Set(['CLOSING', 'WAITING', 'REFUSED', 'FAILED'])

const notFollowed = {
  IGNORED: 'ignored the signal',
  REFUSED: 'refused the signal',
  FAILED: 'could not follow the signal',
}

type OrderParts = {
  order: OrderRow
  bot: BotRow['bot']
  /** The step in which the bot got the signal. */
  got: Step
  cause: Step
  /** The rows of the order, one for each fill. */
  fills: readonly BotRow[]
}

/** @returns the last step of the order */
function addOrder(timeline: Timeline, { order, bot, got, cause, fills }: OrderParts): Step {
  const ids = { ...got.ids, order_id: order.id }
  const isFinal = finals.has(order.status)
  const planned = timeline.add(
    {
      kind: 'order',
      text: `The bot planned an order: ${order.side} ${exactly(order.size)} ${order.symbol} to ${order.purpose}.`,
      at: order.createdAt.getTime(),
      tookMs: isFinal ? between(order.createdAt, order.updatedAt) : null,
      reason: isFinal || order.reason === null ? null : `The order is ${order.status}: ${order.reason}`,
      ids,
    },
    cause,
  )
  const sent = addSending(timeline, order, bot, planned)
  let latest = sent
  for (const { fill } of fills) if (fill !== null) latest = addFill(timeline, order, fill, sent)
  if (!isFinal) return latest
  return timeline.add(
    {
      kind: 'settled',
      text: `The order is ${order.status}: ${executedOf(order)}.`,
      at: order.updatedAt.getTime(),
      reason: order.status === 'FILLED' ? null : order.reason,
      ids,
    },
    latest,
  )
}

const finals: ReadonlySet<OrderStatus> = new Set(['FILLED', 'CANCELED', 'REJECTED'])

function executedOf({ size, filledSize, averagePrice }: OrderRow): string {
  const price = averagePrice === null ? '' : ` at ${asPrice(averagePrice)}`
  return `${exactly(filledSize)} of ${exactly(size)} was executed${price}`
}

/** The process may have died at any moment from then on, or the exchange did not answer in time. */
const unanswered = 'The bot began to send the order. The books got no answer to it.'

/** @returns the step of the answer, or else the last one before it */
function addSending(timeline: Timeline, order: OrderRow, { mode }: BotRow['bot'], planned: Step): Step {
  const { sentAt, acknowledgedAt } = order
  if (sentAt === null) return planned
  const venue = mode === 'paper' ? 'The paper venue' : 'The exchange'
  const sent = timeline.add(
    {
      kind: 'sent',
      text: acknowledgedAt === null ? unanswered : 'The bot sent the order.',
      at: sentAt.getTime(),
      tookMs: between(sentAt, acknowledgedAt),
      ids: planned.ids,
    },
    planned,
  )
  if (acknowledgedAt !== null) {
    const at = acknowledgedAt.getTime()
    timeline.add({ kind: 'acknowledged', text: `${venue} answered.`, at, ids: planned.ids }, sent)
  }
  return sent
}

function addFill(timeline: Timeline, order: OrderRow, fill: FillRow, sent: Step): Step {
  const ids = { ...sent.ids, fill_id: fill.id }
  const verb = order.side === 'buy' ? 'Bought' : 'Sold'
  const executed = timeline.add(
    {
      kind: 'fill',
      text: `${verb} ${exactly(fill.size)} at ${exactly(fill.price)}, for a fee of ${exactly(fill.fee)} ${fill.feeAsset}.`,
      at: fill.filledAt.getTime(),
      ids,
    },
    sent,
  )
  if (fill.bookedAt === null) return executed
  return timeline.add(
    {
      kind: 'booked',
      text: 'The books of the bot got the fill.',
      at: fill.bookedAt.getTime(),
      tookMs: between(fill.filledAt, fill.bookedAt),
      ids,
    },
    executed,
  )
}

function joined(sentence: string, reason: string | null): string {
  return reason === null ? sentence : `${sentence} ${reason}`
}
