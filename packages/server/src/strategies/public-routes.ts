import { Type } from 'typebox'
import { asksModel } from '../db/strategy-types.ts'
import { getRoute, listRoute } from '../http/crud.ts'
import { Nullable, Timestamp } from '../http/schemas.ts'
import type { App, Routes } from '../http/types.ts'
import type { StrategyKind } from './kinds.ts'
import { llmFields, presentLlm } from './llm-fields.ts'
import type { PublicStrategies, PublicStrategy } from './public-strategies.ts'

const common = {
  id: Type.Integer(),
  user_id: Type.Integer({ description: 'Its owner.' }),
  type: Type.String(),
  name: Type.String(),
  send_signal: Type.Boolean(),
  symbol: Nullable(Type.String()),
  delay: Nullable(Type.Integer()),
  created_at: Timestamp,
  updated_at: Timestamp,
}

const schedule = {
  cron_interval: Nullable(Type.String()),
  timezone: Nullable(Type.String()),
}

const ofCode = {
  use_price: Type.Boolean(),
  exchange_id: Nullable(Type.Integer()),
  price_symbol: Nullable(Type.String()),
  ...schedule,
}

/** Which connections it uses, which strategies it may change, and whether its owner gets mail, is private. */
const {
  connection_id: _,
  fallback_id: _fallback,
  may_change: _changeable,
  change_needs_approval: _approval,
  send_email: _mail,
  ...ofLlm
} = llmFields

const ofType = {
  ...{ 'code-strategy': ofCode, 'code-reaction': ofCode },
  ...{ 'llm-reaction': ofLlm, 'llm-session': { ...ofLlm, ...schedule } },
}

function recordsOf({ type, text }: StrategyKind) {
  const listed = { ...common, ...ofType[type] }
  return { Listed: Type.Object(listed), Complete: Type.Object({ ...listed, ...text }) }
}

/** The public strategies of one kind, which every user can read. */
export function publicStrategyRoutes(strategies: PublicStrategies, kind: StrategyKind): Routes {
  const on = { strategies, kind, records: recordsOf(kind) }
  return (scope) => {
    listPublic(scope, on)
    readPublic(scope, on)
  }
}

type On = { strategies: PublicStrategies; kind: StrategyKind; records: ReturnType<typeof recordsOf> }

function listPublic(scope: App, { strategies, kind, records }: On): void {
  listRoute(scope, `${kind.path}/public`, {
    tags: [kind.tag],
    summary: `List the public ${kind.many} of all users`,
    description: 'In order of id. To use one, copy it with its id.',
    item: records.Listed,
    list: async (_userId, window) =>
      (await strategies.list(kind.type, window)).map((strategy) => present(kind, strategy)),
    count: () => strategies.count(kind.type),
  })
}

function readPublic(scope: App, { strategies, kind, records }: On): void {
  getRoute(scope, `${kind.path}/public`, {
    tags: [kind.tag],
    summary: `Read a public ${kind.one} with its ${Object.keys(kind.text)}`,
    description: 'Nobody but its owner sees its storage, its runs, its signals and its webhooks.',
    item: records.Complete,
    get: async (_userId, id) => {
      const strategy = await strategies.get(kind.type, id)
      const text = asksModel(kind.type) ? { prompt: strategy.prompt } : { code: strategy.code }
      return { ...present(kind, strategy), ...text }
    },
  })
}

function present({ type }: StrategyKind, strategy: PublicStrategy) {
  return {
    id: strategy.id,
    user_id: strategy.userId,
    type,
    name: strategy.name,
    send_signal: strategy.sendSignal,
    symbol: strategy.symbol,
    delay: strategy.delay,
    ...(strategy.llm === null ? presentCode(strategy) : presentSettings(strategy.llm)),
    // The schema of a kind without a schedule leaves these out.
    ...{ cron_interval: strategy.cronInterval, timezone: strategy.timezone },
    created_at: strategy.createdAt.toISOString(),
    updated_at: strategy.updatedAt.toISOString(),
  }
}

function presentCode(strategy: PublicStrategy) {
  return {
    use_price: strategy.usePrice,
    exchange_id: strategy.exchangeId,
    price_symbol: strategy.priceSymbol,
  }
}

function presentSettings(llm: NonNullable<PublicStrategy['llm']>) {
  const { connection_id: _, fallback_id: _fallback, send_email: _mail, ...shown } = presentLlm(llm)
  return shown
}
