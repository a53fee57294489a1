import type { CurrentPrice, StrategyType } from '@tickwright/sandbox'
import { AppError } from '../base/errors.ts'
import type { PriceSettings, StrategyPrices } from '../market/strategy-prices.ts'
import { splitSymbols } from '../signals/symbol-list.ts'
import type { Strategies } from '../strategies/strategies.ts'
import { type Circumstances, requestOf } from './circumstances.ts'
import type { HttpReach, TestPlan, TestRuns, Trace } from './test-runs.ts'

/** What a user wants tried; what is `undefined` is as the saved strategy has it. */
export type Wish = Circumstances & {
  code: string | undefined
  price: number | CurrentPrice | undefined
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
  strategies: Pick<Strategies, 'get'>
  prices: Pick<StrategyPrices, 'current' | 'show'>
  /** The variables that apply to a strategy in a folder, or in none. */
  environment(userId: number, folderId: number | null): Promise<Record<string, string>>
}

/** Turns what a user wants tried into a test run. */
export class Trials {
  #parts: TrialParts

  constructor(parts: TrialParts) {
    this.#parts = parts
  }

  /** @throws {AppError} 404 when there is no such strategy of this user */
  async ofStrategy(userId: number, type: StrategyType, id: number, wish: Wish): Promise<Trace> {
    const { strategies, testRuns, environment } = this.#parts
    const strategy = await strategies.get(userId, type, id)
    const { state } = strategy
    const lastTrigger = wish.lastTrigger ?? {
      action: state.lastAction,
      price: state.lastPrice,
      at: state.lastActionAt?.getTime() ?? null,
    }
    return testRuns.run(userId, {
      strategyId: id,
      type,
      code: wish.code ?? strategy.code,
      signal: strategy.sendSignal ? { symbols: splitSymbols(strategy.symbol), lastTrigger } : null,
      storage: wish.storage === undefined ? state.storage : wish.storage,
      price: await this.#price(wish.price, strategy, strategy.usePrice),
      env: await environment(userId, strategy.folderId),
      ...common(wish, type),
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
      price: await this.#price(wish.price, { exchangeId: null, priceSymbol: null }, false),
      env: await this.#parts.environment(userId, wish.folderId),
      ...common(wish, type),
    })
  }

  /** The price that was asked for, else the current one where the strategy uses it. */
  async #price(asked: Wish['price'], wish: PriceSettings, usePrice: boolean): Promise<CurrentPrice | null> {
    if (typeof asked === 'object') return asked
    if (asked !== undefined) return this.#parts.prices.show(wish, asked)
    if (!usePrice) return null
    const price = await this.#parts.prices.current(wish)
    if ('reason' in price) throw noPrice(price.reason)
    return price
  }
}

/** What neither the strategy nor anything stored says. */
function common(wish: Wish, type: StrategyType): Pick<TestPlan, 'request' | 'reach'> {
  return { request: type === 'code-strategy' ? null : requestOf(wish), reach: wish.reach }
}

function noPrice(reason: string): AppError {
  const message = `is needed: ${reason}`
  return new AppError('request_invalid', `Invalid request: body.price ${message}.`, {
    details: [{ field: 'body.price', message }],
  })
}
