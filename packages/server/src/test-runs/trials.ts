import type { CurrentPrice, LastTrigger, StrategyType } from '@tickwright/sandbox'
import type { Catalogue } from '../catalogue/catalogue.ts'
import { AppError } from '../errors.ts'
import { splitSymbols } from '../runs/leases.ts'
import type { CodeReactions, Reaction } from '../strategies/code-reactions.ts'
import type { HttpReach, TestPlan, TestRuns, Trace } from './test-runs.ts'

/** What a user wants tried; what is `undefined` is as the saved reaction has it. */
export type Wish = {
  code: string | undefined
  payload: unknown
  headers: Record<string, string> | undefined
  ip: string | undefined
  price: number | CurrentPrice | undefined
  /** JSON text. */
  storage: string | null | undefined
  lastTrigger: LastTrigger | undefined
  reach: HttpReach
}

export type UnsavedWish = Wish & {
  code: string
  sendSignal: boolean
  symbol: string | null
  folderId: number | null
}

export type TrialParts = {
  testRuns: TestRuns
  reactions: Pick<CodeReactions, 'get'>
  catalogue: Pick<Catalogue, 'find'>
  /** The variables that apply to a strategy in a folder, or in none. */
  environment(userId: number, folderId: number | null): Promise<Record<string, string>>
}

/** Turns what a user wants tried into a test run. */
export class Trials {
  #parts: TrialParts

  constructor(parts: TrialParts) {
    this.#parts = parts
  }

  /** @throws {AppError} 404 when there is no such reaction of this user */
  async ofReaction(userId: number, id: number, wish: Wish): Promise<Trace> {
    const { reactions, testRuns, environment } = this.#parts
    const reaction = await reactions.get(userId, id)
    const { state } = reaction
    const lastTrigger = wish.lastTrigger ?? {
      action: state.lastAction,
      price: state.lastPrice,
      at: state.lastActionAt?.getTime() ?? null,
    }
    if (reaction.usePrice && wish.price === undefined) throw noPrice()
    return testRuns.run(userId, {
      strategyId: id,
      type: reaction.type,
      code: wish.code ?? reaction.code,
      signal: reaction.sendSignal ? { symbols: splitSymbols(reaction.symbol), lastTrigger } : null,
      storage: wish.storage === undefined ? state.storage : wish.storage,
      price: wish.price === undefined ? null : this.#priceOf(wish.price, reaction),
      env: await environment(userId, reaction.folderId),
      ...common(wish, reaction.type),
    })
  }

  async ofCode(userId: number, type: StrategyType, wish: UnsavedWish): Promise<Trace> {
    const lastTrigger = wish.lastTrigger ?? { action: null, price: null, at: null }
    return this.#parts.testRuns.run(userId, {
      strategyId: 0,
      type,
      code: wish.code,
      signal: wish.sendSignal ? { symbols: splitSymbols(wish.symbol), lastTrigger } : null,
      storage: wish.storage ?? null,
      price: wish.price === undefined ? null : this.#priceOf(wish.price),
      env: await this.#parts.environment(userId, wish.folderId),
      ...common(wish, type),
    })
  }

  #priceOf(price: number | CurrentPrice, reaction?: Reaction): CurrentPrice {
    if (typeof price === 'object') return price
    const exchange =
      reaction === undefined || reaction.exchangeId === null
        ? undefined
        : this.#parts.catalogue.find(reaction.exchangeId)
    return {
      symbol: reaction?.priceSymbol ?? '',
      price,
      exchange: exchange?.exchange ?? '',
      service: exchange?.service ?? '',
    }
  }
}

/** What neither the reaction nor anything stored says. */
function common(wish: Wish, type: StrategyType): Pick<TestPlan, 'request' | 'reach'> {
  if (type === 'code-strategy') return { request: null, reach: wish.reach }
  const { payload = {}, headers = {}, ip = '127.0.0.1', reach } = wish
  const data = typeof payload === 'string' ? payload : JSON.stringify(payload)
  const named = Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value])
  return {
    request: { data, headers: { 'content-type': 'application/json', ...Object.fromEntries(named) }, ip },
    reach,
  }
}

function noPrice(): AppError {
  const message = "is needed: the reaction has 'use price'"
  return new AppError('request_invalid', `Invalid request: body.price ${message}.`, {
    details: [{ field: 'body.price', message }],
  })
}
