import type { CurrentPrice, StrategyType } from '@tickwright/sandbox'
import { AppError } from '../base/errors.ts'
import type { PriceSettings, StrategyPrices } from '../market/strategy-prices.ts'
import { splitSymbols } from '../signals/symbol-list.ts'
import type { Strategies } from '../strategies/strategies.ts'
import { requestOf, type TestInput } from './test-input.ts'
import type { HttpReach, TestPlan, TestRuns, Trace } from './test-runs.ts'

/** A user's request for a test run. The saved strategy supplies whatever is `undefined`. */
export type TestRequest = TestInput & {
  code: string | undefined
  price: number | CurrentPrice | undefined
  reach: HttpReach
  seed: number | undefined
  startMs: number | undefined
}

export type UnsavedTestRequest = TestRequest & {
  code: string
  sendSignal: boolean
  symbol: string | null
  folderId: number | null
}

export type TrialParts = {
  testRuns: TestRuns
  strategies: Pick<Strategies, 'get'>
  prices: Pick<StrategyPrices, 'current' | 'show'>
  /** The variables that a strategy in this folder can read; `null` for no folder. */
  environment(userId: number, folderId: number | null): Promise<Record<string, string>>
}

/** Prepares and starts the test runs that users request. */
export class Trials {
  #parts: TrialParts

  constructor(parts: TrialParts) {
    this.#parts = parts
  }

  /** @throws {AppError} 404 if the user has no such strategy */
  async ofStrategy(userId: number, type: StrategyType, id: number, request: TestRequest): Promise<Trace> {
    const { strategies, testRuns, environment } = this.#parts
    const strategy = await strategies.get(userId, type, id)
    const { state } = strategy
    const lastTrigger = request.lastTrigger ?? {
      action: state.lastAction,
      price: state.lastPrice,
      at: state.lastActionAt?.getTime() ?? null,
    }
    return testRuns.run(userId, {
      strategyId: id,
      exchangeId: strategy.exchangeId,
      type,
      code: request.code ?? strategy.code,
      signal: strategy.sendSignal ? { symbols: splitSymbols(strategy.symbol), lastTrigger } : null,
      storage: request.storage === undefined ? state.storage : request.storage,
      price: await this.#price(request.price, strategy, strategy.usePrice),
      env: await environment(userId, strategy.folderId),
      ...common(request, type),
    })
  }

  async ofCode(userId: number, type: StrategyType, request: UnsavedTestRequest): Promise<Trace> {
    const lastTrigger = request.lastTrigger ?? { action: null, price: null, at: null }
    return this.#parts.testRuns.run(userId, {
      strategyId: 0,
      exchangeId: null,
      type,
      code: request.code,
      signal: request.sendSignal ? { symbols: splitSymbols(request.symbol), lastTrigger } : null,
      storage: request.storage ?? null,
      price: await this.#price(request.price, { exchangeId: null, priceSymbol: null }, false),
      env: await this.#parts.environment(userId, request.folderId),
      ...common(request, type),
    })
  }

  /** The requested price, or else the current price if the strategy uses it. */
  async #price(
    requested: TestRequest['price'],
    source: PriceSettings,
    usePrice: boolean,
  ): Promise<CurrentPrice | null> {
    if (typeof requested === 'object') return requested
    if (requested !== undefined) return this.#parts.prices.show(source, requested)
    if (!usePrice) return null
    const price = await this.#parts.prices.current(source)
    if ('reason' in price) throw noPrice(price.reason)
    return price
  }
}

/** The parts of a plan that come from the request only. */
function common(
  request: TestRequest,
  type: StrategyType,
): Pick<TestPlan, 'request' | 'reach' | 'seed' | 'startMs'> {
  const { reach, seed, startMs } = request
  return { request: type === 'code-strategy' ? null : requestOf(request), reach, seed, startMs }
}

function noPrice(reason: string): AppError {
  const message = `is required: ${reason}`
  return new AppError('request_invalid', `Invalid request: body.price ${message}.`, {
    details: [{ field: 'body.price', message }],
  })
}
