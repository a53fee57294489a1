import type { ActionName, LastTrigger } from '@tickwright/sandbox'
import type { Database, PreparedStatement, TextRow } from '../db/database.ts'
import { GroupCommit } from '../db/group-commit.ts'
import { isDeadSql, type Node } from '../db/node.ts'
import type { StrategyType } from '../db/schema.ts'
import { splitSymbols } from '../signals/symbol-list.ts'
import {
  readSealedVariables,
  type SealedVariable,
  sealedVariablesSql,
} from '../variables/sealed-variables.ts'

/** A strategy as its holder works with it: what its owner decided, and where its runs have brought it. */
export type HeldStrategy = {
  id: number
  version: number
  userId: number
  type: StrategyType
  active: boolean
  code: string
  /** Of AI reactions. */
  llm: HeldLlm | null
  sendSignal: boolean
  usePrice: boolean
  exchangeId: number | null
  priceSymbol: string | null
  symbols: string[]
  /** Of `$.Env`, those that apply to it. */
  variables: SealedVariable[]
  /** At most that many runs a second. */
  runsPerSecond: number | null
  storage: string | null
  lastTrigger: LastTrigger
  suspendedUntilMs: number
  violationCount: number
  lastViolationAtMs: number
}

/** What a model is asked, who, and what it may. */
export type HeldLlm = {
  prompt: string
  connectionId: number | null
  actions: ActionName[]
  maxSize: number | null
  tokensPerDay: number
  actionsPerDay: number
}

const llmSql = `case when l.strategy_id is not null then json_build_object(
  'prompt', l.prompt, 'connectionId', l.connection_id, 'actions', l.actions, 'maxSize', l.max_size,
  'tokensPerDay', l.tokens_per_day, 'actionsPerDay', l.actions_per_day) end`

const holderIsDead = isDeadSql('t.holder')

const claimSql = `
update strategy_state t set holder = $2::uuid
from strategies s left join folders f on f.id = s.folder_id left join llm_reactions l on l.strategy_id = s.id
where s.id = t.strategy_id and t.strategy_id = any($1::bigint[])
  and (t.holder is null or t.holder = $2::uuid or ${holderIsDead})
returning s.id, s.version, s.user_id, s.type, s.status, s.code, s.send_signal, s.use_price, s.exchange_id,
  s.price_symbol, s.symbol, s.delay, t.storage, t.last_action,
  t.last_price, extract(epoch from t.last_action_at) * 1000, extract(epoch from t.suspended_until) * 1000,
  t.violation_count, extract(epoch from t.last_violation_at) * 1000, ${sealedVariablesSql('s.user_id', 'f')},
  ${llmSql}`

const releaseSql = `
update strategy_state set holder = null where strategy_id = any($1::bigint[]) and holder = $2::uuid`

const releaseAllSql = `update strategy_state set holder = null where holder = $1::uuid`

/** Strategies with runs that wait although nobody alive but this node could be at them. */
const unattendedSql = `
select distinct r.strategy_id
from runs r join strategy_state t on t.strategy_id = r.strategy_id
where r.status in ('QUEUED', 'RUNNING') and (t.holder is null or t.holder = $1::uuid or ${holderIsDead})
limit 10000`

/**
 * Which node works off which strategy. A strategy has one holder at a time over all nodes: that alone keeps
 * its runs in order and from overlapping. A lease is kept while its strategy is busy, so that a run costs no
 * claim; it lasts as long as its node's heartbeat does, and every outcome that is written demands it anew.
 */
export class Leases {
  readonly node: Node
  #claim: GroupCommit<number, HeldStrategy | undefined>
  #release: PreparedStatement
  #releaseAll: PreparedStatement
  #unattended: PreparedStatement
  /** A claim never overtakes a release that was asked for before it. */
  #releasing: Promise<void> = Promise.resolve()

  constructor(database: Database, node: Node) {
    this.node = node
    const claim = database.prepare('claim_strategies', claimSql)
    this.#claim = new GroupCommit({
      commit: async (ids) => {
        const held = new Map((await claim([arrayLiteral(ids), this.node.id])).map(readRow))
        return ids.map((id) => held.get(id))
      },
      batchLimit: 200,
      isolateFailures: false,
    })
    this.#release = database.prepare('release_strategies', releaseSql)
    this.#releaseAll = database.prepare('release_node', releaseAllSql)
    this.#unattended = database.prepare('unattended_strategies', unattendedSql)
  }

  /** Claims a strategy, or reads one that is held already anew; `undefined` when it is another's, or gone. */
  async claim(strategyId: number): Promise<HeldStrategy | undefined> {
    await this.#releasing
    return this.#claim.submit(strategyId)
  }

  release(strategyIds: number[]): Promise<void> {
    const released = this.#release([arrayLiteral(strategyIds), this.node.id]).then(() => undefined)
    // A release that failed leaves a lease that this node may go on with.
    this.#releasing = released.catch(() => undefined)
    return released
  }

  async unattended(): Promise<number[]> {
    return (await this.#unattended([this.node.id])).map(([id]) => Number(id))
  }

  /** Gives everything back. */
  async stop(): Promise<void> {
    await this.#releaseAll([this.node.id])
  }
}

/** The embedded database has one process: whatever held a lease on it before is gone. */
export async function clearLeases(database: Database): Promise<void> {
  await database.prepare(
    'clear_leases',
    'update strategy_state set holder = null where holder is not null',
  )([])
}

function arrayLiteral(ids: number[]): string {
  return `{${ids.join(',')}}`
}

function readRow(row: TextRow): [number, HeldStrategy] {
  const [id, version, userId, type, status, code, sendSignal, usePrice, exchangeId, priceSymbol] = row
  const [symbol, delay, storage, action, price, at, suspendedUntil] = row.slice(10)
  const [violationCount, lastViolationAt, variables, llm] = row.slice(17)
  const strategy: HeldStrategy = {
    id: Number(id),
    version: Number(version),
    userId: Number(userId),
    type: type as HeldStrategy['type'],
    active: status === 'ACTIVE',
    code: code ?? '',
    llm: llm == null ? null : (JSON.parse(llm) as HeldLlm),
    sendSignal: sendSignal === 't',
    usePrice: usePrice === 't',
    exchangeId: numberOrNull(exchangeId),
    priceSymbol: priceSymbol ?? null,
    symbols: splitSymbols(symbol ?? null),
    variables: readSealedVariables(variables ?? null),
    runsPerSecond: numberOrNull(delay),
    storage: storage ?? null,
    lastTrigger: {
      action: (action ?? null) as LastTrigger['action'],
      price: numberOrNull(price),
      at: numberOrNull(at),
    },
    suspendedUntilMs: numberOrNull(suspendedUntil) ?? 0,
    violationCount: Number(violationCount),
    lastViolationAtMs: numberOrNull(lastViolationAt) ?? 0,
  }
  return [strategy.id, strategy]
}

function numberOrNull(text: string | null | undefined): number | null {
  return text === null || text === undefined ? null : Number(text)
}
