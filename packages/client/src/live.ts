/** The stream of what happens, as an async iterator that survives lost connections. */

import type {
  ApprovalInList,
  Backtest,
  BotSignal,
  Delivery,
  Fill,
  Order,
  Position,
  Run,
  Signal,
  TradingSwitch,
} from './api-types.ts'
import { need, needFunction, needRecord, needText } from './arguments.ts'
import { ApiError, ConnectionError } from './errors.ts'

/** A strategy, bot or webhook that was switched or changed. */
export type LiveStatus = {
  id: number
  type:
    | 'code-strategy'
    | 'code-reaction'
    | 'llm-reaction'
    | 'llm-session'
    | 'signal-bot'
    | 'data-webhook'
    | 'bot-webhook'
  name: string
  status: 'ACTIVE' | 'INACTIVE' | 'SUSPENDED'
  /** Of strategies only. */
  suspended_until?: string | null
  suspension_reason?: { run_id: number; rule: string; limit: number; actual: number } | null
}

/** The content of each kind of event. */
export type LiveRecords = {
  delivery: Delivery
  refused_post: Record<string, unknown>
  run: Omit<Run, 'version' | 'seen' | 'clock' | 'transcript'>
  signal: Signal
  bot_signal: BotSignal
  order: Order
  fill: Fill
  position: Position
  approval: ApprovalInList
  backtest: Backtest
  status: LiveStatus
  suspension: LiveStatus
  trading_switch: TradingSwitch
  /** Without a price, `reason` says why. */
  price: {
    exchange_id: number
    symbol: string
    price: number | null
    at: string | null
    reason: string | null
  }
  /** Events may be missing: read again what you show. */
  resync: { reason: 'unknown_id' | 'slow_reader' | 'interrupted' }
}

export type LiveKind = Exclude<keyof LiveRecords, 'resync'>

/** An event. `id` is what `lastEventId` takes. */
export type LiveEvent = {
  [Kind in keyof LiveRecords]: { kind: Kind; id: string; data: LiveRecords[Kind] }
}[keyof LiveRecords]

/** An `AbortSignal`, described without the types of Node or of browsers, which not every program has. */
export type StopSignal = {
  readonly aborted: boolean
  readonly reason?: unknown
  addEventListener(type: 'abort', listener: () => void): void
  removeEventListener(type: 'abort', listener: () => void): void
}

/** Which events to send, and how long. Without filters: all of them, until the loop ends. */
export type LiveOptions = {
  kinds?: readonly LiveKind[]
  strategyId?: number
  /** Of either kind: a data webhook and a bot webhook may have the same id. */
  webhookId?: number
  dataWebhookId?: number
  botWebhookId?: number
  botId?: number
  runId?: number
  /** Also yields the prices of these symbols, such as `3:BTC/USDT` with the id of the exchange. */
  symbols?: readonly string[]
  /** Goes on after this event, for example after a restart of your program. */
  lastEventId?: string
  /** Ends the iterator. */
  signal?: StopSignal
  /** Called each time a stream has begun: read the state that you show now, then no change falls in between. */
  onOpen?: () => void
  /** Called each time a stream has ended and the iterator is about to connect again: what you show may now be old. */
  onLost?: () => void
}

export type Live = (options?: LiveOptions) => AsyncGenerator<LiveEvent, void, undefined>

/** The body of an open stream. */
export type OpenedStream = AsyncIterable<Uint8Array>

/**
 * Opens a stream. Rejects with a `ConnectionError`, or with an `ApiError` and the seconds to wait that the service asks
 * for.
 */
export type OpenStream = (
  query: Record<string, string | number>,
  lastEventId: string | undefined,
  signal: StopSignal,
) => Promise<OpenedStream>

/** The service sends something every 15 s. */
const quietMs = 45_000
const firstWaitMs = 250
const longestWaitMs = 10_000

/** @throws {TypeError} for an invalid option, when the loop begins */
export function createLive(open: OpenStream, random: () => number = Math.random): Live {
  return (options = {}) => events(open, options, random)
}

async function* events(
  open: OpenStream,
  options: LiveOptions,
  random: () => number,
): AsyncGenerator<LiveEvent, void, undefined> {
  const query = queryOf(options)
  const { signal, onOpen, onLost } = options
  let lastId = options.lastEventId
  let failures = 0
  while (!signal?.aborted) {
    const watch = new Watch(signal)
    try {
      const stream = await open(query, lastId, watch.signal)
      onOpen?.()
      for await (const block of blocksOf(stream, watch)) {
        lastId = block.id ?? lastId
        if (block.data === undefined && !block.isHeartbeat) continue
        failures = 0
        if (block.data !== undefined) {
          yield { kind: block.event, id: lastId ?? '', data: JSON.parse(block.data) } as LiveEvent
        }
      }
    } catch (error) {
      if (signal?.aborted) return
      if (!watch.isLate && !mayPass(error)) throw error
    } finally {
      watch.end()
    }
    onLost?.()
    await pause(Math.min(firstWaitMs * 2 ** failures, longestWaitMs) * random(), signal)
    failures += 1
  }
}

/** Whether the same request may succeed later. */
function mayPass(error: unknown): boolean {
  if (error instanceof ApiError) return error.status === 429 || error.status >= 500
  return error instanceof ConnectionError
}

/** Ends a connection when the caller wants it, or when nothing has come for too long. */
class Watch {
  isLate = false
  #controller = new AbortController()
  #outer: StopSignal | undefined
  #timer: ReturnType<typeof setTimeout> | undefined
  #abort = () => this.#controller.abort()

  constructor(outer: StopSignal | undefined) {
    this.#outer = outer
    outer?.addEventListener('abort', this.#abort)
    this.heard()
  }

  get signal(): StopSignal {
    return this.#controller.signal
  }

  heard(): void {
    clearTimeout(this.#timer)
    this.#timer = setTimeout(() => {
      this.isLate = true
      this.#abort()
    }, quietMs)
  }

  end(): void {
    clearTimeout(this.#timer)
    this.#outer?.removeEventListener('abort', this.#abort)
    this.#abort()
  }
}

type Block = { event: string; id: string | undefined; data: string | undefined; isHeartbeat: boolean }

/** The parts of a stream between empty lines. */
async function* blocksOf(stream: OpenedStream, watch: Watch): AsyncGenerator<Block, void, undefined> {
  const decoder = new TextDecoder()
  let rest = ''
  for await (const bytes of stream) {
    watch.heard()
    const blocks = (rest + decoder.decode(bytes, { stream: true })).split('\n\n')
    rest = blocks.pop() ?? ''
    for (const block of blocks) yield blockOf(block)
  }
}

function blockOf(text: string): Block {
  const block: Block = { event: 'message', id: undefined, data: undefined, isHeartbeat: false }
  for (const line of text.split('\n')) {
    const [, name, value] = /^(\w*): ?(.*)$/s.exec(line) ?? []
    if (name === '') block.isHeartbeat = true
    if (name === 'event' || name === 'id' || name === 'data') block[name] = value ?? ''
  }
  return block
}

/** Resolves early if the signal is aborted. */
function pause(ms: number, signal: StopSignal | undefined): Promise<void> {
  return new Promise((resolve) => {
    const end = () => {
      clearTimeout(timer)
      signal?.removeEventListener('abort', end)
      resolve()
    }
    const timer = setTimeout(end, ms)
    if (signal?.aborted) end()
    else signal?.addEventListener('abort', end)
  })
}

function queryOf(options: LiveOptions): Record<string, string | number> {
  needRecord(options, 'options')
  const { kinds, symbols, lastEventId, onOpen, onLost } = options
  if (lastEventId !== undefined) needText(lastEventId, 'lastEventId')
  if (onOpen !== undefined) needFunction(onOpen, 'onOpen')
  if (onLost !== undefined) needFunction(onLost, 'onLost')
  const query: Record<string, string | number> = {}
  if (kinds !== undefined) {
    need(Array.isArray(kinds) && kinds.length > 0, 'kinds', 'a list of kinds')
    query.kind = kinds.join(',')
  }
  if (symbols !== undefined) {
    need(Array.isArray(symbols) && symbols.length > 0, 'symbols', 'a list of symbols')
    query.symbols = symbols.join(',')
  }
  const ids = {
    strategy_id: options.strategyId,
    webhook_id: options.webhookId,
    data_webhook_id: options.dataWebhookId,
    bot_webhook_id: options.botWebhookId,
    bot_id: options.botId,
    run_id: options.runId,
  }
  for (const [name, id] of Object.entries(ids)) {
    if (id === undefined) continue
    need(Number.isSafeInteger(id), name, 'a whole number')
    query[name] = id
  }
  return query
}
