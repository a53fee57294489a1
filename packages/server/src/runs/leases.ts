import type { Database, PreparedStatement, TextRow } from '../db/database.ts'
import { GroupCommit } from '../db/group-commit.ts'
import { isDeadSql, type Node } from '../db/node.ts'
import { splitSymbols } from '../signals/symbol-list.ts'
import { readSealedVariables, sealedVariablesSql } from '../variables/sealed-variables.ts'
import { Claim, type HeldStrategy, type StrategySettings } from './held-strategy.ts'
import type { StrategyState } from './strategy-state.ts'

const unixMs = (column: string) => `extract(epoch from ${column}) * 1000`

const chartSql = `case when l.use_chart then json_build_object('symbol', l.chart_symbol,
  'interval', l.chart_interval, 'studies', l.chart_studies, 'range', l.chart_range) end`

const llmSql = `case when l.strategy_id is not null then json_build_object(
  'connectionId', l.connection_id, 'fallbackId', l.fallback_id, 'actions', l.actions, 'maxSize', l.max_size,
  'tools', l.tools, 'mayChange', l.may_change, 'tokensPerDay', l.tokens_per_day,
  'actionsPerDay', l.actions_per_day, 'sendEmail', l.send_email, 'chart', ${chartSql}) end`

const settingsSql = `json_build_object(
  'id', s.id, 'version', s.version, 'userId', s.user_id, 'type', s.type, 'code', s.code, 'llm', ${llmSql},
  'sendSignal', s.send_signal, 'usePrice', s.use_price, 'exchangeId', s.exchange_id,
  'priceSymbol', s.price_symbol, 'symbol', s.symbol, 'runsPerSecond', s.delay,
  'variables', ${sealedVariablesSql('s.user_id', 'f')}::text)`

const stateSql = `json_build_object(
  'active', s.status = 'ACTIVE',
  -- That of an AI strategy may have a megabyte, and one claim may be for two hundred. Each run reads its own.
  'storage', case when l.strategy_id is null then t.storage end,
  'lastTrigger', json_build_object(
    'action', t.last_action, 'price', t.last_price, 'at', ${unixMs('t.last_action_at')}),
  'suspendedUntilMs', coalesce(${unixMs('t.suspended_until')}, 0),
  'violationCount', t.violation_count,
  'lastViolationAtMs', coalesce(${unixMs('t.last_violation_at')}, 0))`

/** A row of {@link claimSql}. */
type ClaimedRow = {
  settings: Omit<StrategySettings, 'symbols' | 'variables'> & {
    symbol: string | null
    variables: string | null
  }
  state: StrategyState
}

const holderIsDead = isDeadSql('t.holder')

const claimSql = `
update strategy_state t set holder = $2::uuid
from strategies s left join folders f on f.id = s.folder_id left join llm_settings l on l.strategy_id = s.id
where s.id = t.strategy_id and t.strategy_id = any($1::bigint[])
  and (t.holder is null or t.holder = $2::uuid or ${holderIsDead})
returning json_build_object('settings', ${settingsSql}, 'state', ${stateSql})`

const releaseSql = `
update strategy_state set holder = null where strategy_id = any($1::bigint[]) and holder = $2::uuid`

const releaseAllSql = `update strategy_state set holder = null where holder = $1::uuid`

/** Strategies with open runs that no other live node works on. */
const unattendedSql = `
select distinct r.strategy_id
from runs r join strategy_state t on t.strategy_id = r.strategy_id
where r.status in ('QUEUED', 'RUNNING') and (t.holder is null or t.holder = $1::uuid or ${holderIsDead})
limit 10000`

/**
 * Decides which node works on which strategy. A strategy has one holder at a time, across all nodes. That alone
 * keeps its runs in order and stops them from overlapping. A node keeps a lease while the strategy is busy, so most
 * runs need no claim. A lease is valid as long as its node sends heartbeats, and every write of an outcome checks
 * that the node still holds it.
 */
export class Leases {
  readonly node: Node
  #claim: GroupCommit<number, HeldStrategy | undefined>
  #release: PreparedStatement
  #releaseAll: PreparedStatement
  #unattended: PreparedStatement
  /** A claim waits for every release that was requested before it. */
  #releasing: Promise<void> = Promise.resolve()

  constructor(database: Database, node: Node) {
    this.node = node
    const claim = database.prepare('claim_strategies', claimSql)
    this.#claim = new GroupCommit({
      commit: async (ids) => {
        const held = (await claim([arrayLiteral(ids), this.node.id])).map(readRow)
        const heldById = new Map(held.map((strategy) => [strategy.claim.strategyId, strategy]))
        return ids.map((id) => heldById.get(id))
      },
      batchLimit: 200,
      isolateFailures: false,
    })
    this.#release = database.prepare('release_strategies', releaseSql)
    this.#releaseAll = database.prepare('release_node', releaseAllSql)
    this.#unattended = database.prepare('unattended_strategies', unattendedSql)
  }

  /** Claims a strategy, or reads it again if this node holds it; `undefined` if another node does, or it was deleted. */
  async claim(strategyId: number): Promise<HeldStrategy | undefined> {
    await this.#releasing
    return this.#claim.submit(strategyId)
  }

  release(strategyIds: number[]): Promise<void> {
    const released = this.#release([arrayLiteral(strategyIds), this.node.id]).then(() => undefined)
    // If a release fails, this node still holds the leases and can use them.
    this.#releasing = released.catch(() => undefined)
    return released
  }

  async unattended(): Promise<number[]> {
    return (await this.#unattended([this.node.id])).map(([id]) => Number(id))
  }

  /** Releases every strategy. */
  async stop(): Promise<void> {
    await this.#releaseAll([this.node.id])
  }
}

function arrayLiteral(ids: number[]): string {
  return `{${ids.join(',')}}`
}

function readRow([json]: TextRow): HeldStrategy {
  const { settings: row, state } = JSON.parse(json!) as ClaimedRow
  const { symbol, variables, ...settings } = row
  return {
    claim: new Claim(settings.id),
    settings: {
      ...settings,
      symbols: splitSymbols(symbol),
      variables: readSealedVariables(variables),
    },
    state,
  }
}
