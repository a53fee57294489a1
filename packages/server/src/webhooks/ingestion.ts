import type { Database, PreparedStatement, TextRow } from '../db/database.ts'
import type { Announce, Stored as StoredRecord } from '../live/changes.ts'
import type { QueuedRun } from '../runs/queued-run.ts'
import { type Incoming, Intake, type Stored, senderColumns, type Taken } from './intake.ts'
import { storeAloneSql, storeSql } from './store-statements.ts'

/** A payload for the reactions of a data webhook. */
export type Payload = Incoming & { body: string; headers: Record<string, string>; ip: string }

/** How many reactions run. */
type ReactionCount = { reactions: number }
export type Ingested = Taken<ReactionCount>

const firstAnswerSql = `
select d.id, extract(epoch from d.received_at) * 1000, d.reactions
from idempotency_keys k join deliveries d on d.id = k.delivery_id
where k.webhook_id = $1::bigint and k.sender_id = $2::bigint and k.key = $3`

/** Stores payloads and queues their runs, each once. */
export class Ingestion {
  #store: PreparedStatement
  #storeAlone: PreparedStatement
  #firstAnswer: PreparedStatement
  #handOver: (runs: QueuedRun[]) => void
  #announce: Announce
  #intake: Intake<Payload, ReactionCount>

  /**
   * @param handOver receives every queued run, right after its commit and in order
   * @param announce tells live streams of deliveries; default: nobody
   */
  constructor(
    database: Database,
    handOver: (runs: QueuedRun[]) => void,
    announce: Announce = () => undefined,
  ) {
    this.#store = database.prepare('store_deliveries', storeSql)
    this.#storeAlone = database.prepare('store_delivery', storeAloneSql)
    this.#firstAnswer = database.prepare('first_answer', firstAnswerSql)
    this.#handOver = handOver
    this.#announce = announce
    this.#intake = new Intake({
      store: (payloads) => this.#commit(payloads),
      firstAnswer: (payload) => this.#readFirstAnswer(payload),
      sizeBytes: sizeOf,
    })
  }

  /** @throws {AppError} 503 if too much is waiting */
  take(payload: Payload): Promise<Ingested> {
    return this.#intake.take(payload)
  }

  drain(): Promise<void> {
    return this.#intake.drain()
  }

  async #commit(payloads: Payload[]): Promise<Stored<ReactionCount>[]> {
    const stored = readStored(await this.#write(payloads))
    const results: Stored<ReactionCount>[] = []
    const runs: QueuedRun[] = []
    for (const [index, payload] of payloads.entries()) {
      const n = index + 1
      const id = stored.deliveryIds.get(n)
      if (!stored.current.has(n)) results.push({ status: 'stale' })
      else if (id === undefined) results.push({ status: 'repeat' })
      else {
        const caused = stored.runs.get(id) ?? []
        const { receivedAtMs } = payload
        results.push({ status: 'accepted', id, receivedAtMs, reactions: caused.length })
        const delivery: StoredPayload = { id, payload, runs: caused, sizeBytes: sizeOf(payload) }
        this.#announce({ kind: 'delivery', id, webhookId: payload.webhookId }, delivery)
        for (const run of caused) runs.push(queuedRun(delivery, run, stored.strategies))
      }
    }
    // Run ids increase with delivery ids, so this is also their order in the database.
    if (runs.length > 0) this.#handOver(runs)
    return results
  }

  #write(payloads: Payload[]): Promise<TextRow[]> {
    const [first] = payloads
    const isAlone = payloads.length === 1 && first!.sender === null && first!.idempotencyKey === null
    if (!isAlone) return this.#store([JSON.stringify(payloads.map(inputRow))])
    const { webhookId, webhookVersion, body, headers, ip, receivedAtMs } = first!
    return this.#storeAlone([webhookId, webhookVersion, body, JSON.stringify(headers), ip, receivedAtMs])
  }

  async #readFirstAnswer({ webhookId, sender, idempotencyKey }: Payload) {
    const [row] = await this.#firstAnswer([webhookId, sender?.userId ?? 0, idempotencyKey])
    // The delivery may have been deleted meanwhile.
    if (row === undefined) return undefined
    return { id: Number(row[0]), receivedAtMs: Math.round(Number(row[1])), reactions: Number(row[2]) }
  }
}

function sizeOf({ body }: Payload): number {
  return body.length
}

function inputRow(payload: Payload): Record<string, unknown> {
  return {
    ...senderColumns(payload),
    body: payload.body,
    headers: payload.headers,
    ip: payload.ip,
    key: payload.idempotencyKey,
    at: payload.receivedAtMs,
  }
}

type StoredRun = { id: number; strategyId: number }

/** A payload that this node has just stored, with its runs. */
export type StoredPayload = StoredRecord & { id: number; payload: Payload; runs: readonly StoredRun[] }

/** The result of the statement, by the position of a payload in the batch (from 1), by delivery, or by strategy. */
type StoredBatch = {
  current: Set<number>
  deliveryIds: Map<number, number>
  runs: Map<number, StoredRun[]>
  strategies: Map<number, { version: number; previousId: number }>
}

function readStored([row]: TextRow[]): StoredBatch {
  const answer = JSON.parse(row![0]!) as {
    current: number[] | null
    stored: [n: number, id: number][] | null
    runs: [deliveryId: number, id: number, strategyId: number][] | null
    strategies: [strategyId: number, version: number, previousId: number | null][] | null
  }
  const runs = new Map<number, StoredRun[]>()
  for (const [deliveryId, id, strategyId] of answer.runs ?? []) {
    const ofDelivery = runs.get(deliveryId)
    if (ofDelivery === undefined) runs.set(deliveryId, [{ id, strategyId }])
    else ofDelivery.push({ id, strategyId })
  }
  return {
    current: new Set(answer.current),
    deliveryIds: new Map(answer.stored),
    runs,
    strategies: new Map(
      answer.strategies?.map(([id, version, previousId]) => [id, { version, previousId: previousId ?? 0 }]),
    ),
  }
}

function queuedRun(
  { id: deliveryId, payload }: StoredPayload,
  { id, strategyId }: StoredRun,
  strategies: StoredBatch['strategies'],
): QueuedRun {
  return {
    id,
    strategyId,
    ...strategies.get(strategyId)!,
    trigger: 'webhook',
    request: { data: payload.body, headers: payload.headers, ip: payload.ip },
    earlierSignal: null,
    stored: { deliveryId, queuedAtMs: payload.receivedAtMs },
  }
}
