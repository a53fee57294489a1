/** The kinds of events that a live stream sends. */
export const kinds = [
  'delivery',
  'refused_post',
  'run',
  'signal',
  'bot_signal',
  'order',
  'fill',
  'position',
  'approval',
  'backtest',
  'status',
  'suspension',
  'trading_switch',
  'price',
] as const

export type Kind = (typeof kinds)[number]

/** The kinds of records. Prices are no records: each node gets them from the market itself. */
export type RecordKind = Exclude<Kind, 'price'>

export type BelongingIds = { strategyId?: number; webhookId?: number; botId?: number; runId?: number }

/**
 * What an event belongs to. Streams filter by it. Data webhooks and bot webhooks count their ids separately, so an id
 * alone does not name a webhook.
 */
export type Belonging = BelongingIds & { webhookKind?: 'data' | 'bot' }

/**
 * A record that was stored or changed, after the commit. It names the record and has none of its content: a node that
 * someone listens on reads the record, as the user who listens. So a change is small, reveals nothing, and can be
 * repeated.
 */
export type Change = Belonging & {
  kind: RecordKind
  /** The id of the record; what it is the id of, depends on the kind. */
  id: number
  /** The owner, if the publisher knows. */
  userId?: number
  /** What the id alone does not say: the symbol of a position, or whose status it is (default: a strategy's). */
  part?: string
}

/**
 * What this node has just stored, for a source that can show it without reading it again. It never leaves the node, and is
 * forgotten after the event; `sizeBytes` is about what it takes until then. `goesOn`: the record most likely changes again
 * within milliseconds.
 */
export type Stored = { readonly sizeBytes: number; readonly goesOn?: true }

/** For the code that changes records. Call it after the commit; it never throws, and costs almost nothing. */
export type Announce = (change: Change, stored?: Stored) => void

/** Two changes of the same record have the same key. */
export function keyOf({ kind, id, part = '' }: Change): string {
  return `${kind} ${id} ${part}`
}
