import { isCcxtError } from '../../market/live/ccxt-exchange.ts'
import type { CcxtAccount, CcxtTradedMarket } from '../../market/live/ccxt-trading.ts'
import { fromBase } from '../../market/live/market-rules.ts'
import { NoSuchMarket, VenueUnreachable } from '../../market/price-source.ts'
import type { LegLookUp, LegPlacing, LegRequest, LegVenue } from '../protection/leg-venue.ts'
import {
  BeyondLevel,
  type Dialect,
  type LegDialect,
  type TargetDialect,
  UnfitAccount,
} from './dialects/dialect.ts'
import { verdictOf } from './outcomes.ts'
import { refusalReason, unknownReason, unsentReason } from './reasons.ts'
import type { SentRequests } from './sent-requests.ts'
import { isTemporary } from './temporary-errors.ts'

export type LiveLegsParts = {
  dialect: Dialect
  legs: LegDialect
  /** @throws {NoSuchMarket} {VenueUnreachable}, also while the exchange wants no requests */
  open(symbol: string): Promise<{ account: CcxtAccount; requests: SentRequests; market: CcxtTradedMarket }>
  /** Compares the clocks again if the error says that they differ. */
  adjustClock(error: unknown): Promise<void>
  lookUpReason(error: unknown): string
  /** For this long after it was sent, a leg does not count as absent, in milliseconds. */
  absentAfterMs: number
  secrets: readonly string[]
}

/** Stops at an exchange, through ccxt's own requests: each sends exactly what the dialect names, and nothing else. */
export class LiveLegs implements LegVenue {
  #parts: LiveLegsParts

  constructor(parts: LiveLegsParts) {
    this.#parts = parts
  }

  get keepsTargets(): boolean {
    return this.#parts.legs.targets !== undefined
  }

  get locksFunds(): boolean {
    return this.#parts.legs.locksFunds
  }

  get priceDigits(): number | undefined {
    return this.#parts.legs.priceDigits
  }

  get room(): string | undefined {
    return this.#parts.legs.room
  }

  get renewAfterMs(): number | undefined {
    return this.#parts.legs.renewAfterMs
  }

  clientId(id: string): string {
    return this.#parts.legs.clientId(id)
  }

  async priceStep(symbol: string): Promise<string> {
    const { market } = await this.#openKnown(symbol)
    const step = this.#parts.legs.priceStep?.(market) ?? market.precision.price
    if (step === undefined) throw new NoSuchMarket(`The price step of ${symbol} is unknown.`)
    return String(step)
  }

  async hasOco(symbol: string): Promise<boolean> {
    const { market } = await this.#openKnown(symbol)
    return this.#parts.legs.hasOco?.(market) === true
  }

  async canHave(target: LegRequest): Promise<boolean> {
    try {
      const { account, market } = await this.#openKnown(target.symbol)
      await this.#parts.legs.targets?.requireFit?.(account, market, target)
    } catch (error) {
      if (error instanceof UnfitAccount) return false
    }
    return true
  }

  async place(leg: LegRequest): Promise<LegPlacing> {
    const { dialect, legs, secrets } = this.#parts
    let opened: Awaited<ReturnType<LiveLegsParts['open']>>
    try {
      opened = await this.#openKnown(leg.symbol)
    } catch (error) {
      return { status: 'busy', reason: unsentReason(error, secrets, dialect) }
    }
    const { account, requests, market } = opened
    const amount = fromBase(market, leg.size)
    if (amount === undefined) {
      const reason = `The size ${leg.size} is not a multiple of the size step of ${leg.symbol}.`
      return { status: 'refused', reason, isBeyond: false }
    }
    const result = await requests.watch(() => this.#dialectOf(leg).place(account, market, leg, amount))
    if ('value' in result) {
      if (typeof result.value === 'string' && result.value !== '')
        return { status: 'placed', exchangeId: result.value }
      return { status: 'unknown', reason: unknownReason(undefined, result.sent.status) }
    }
    const { error, sent } = result
    if (error instanceof BeyondLevel) return { status: 'refused', reason: error.message, isBeyond: true }
    const verdict = verdictOf(error, sent, dialect)
    if (verdict === 'unknown' || verdict === 'duplicate') {
      return { status: 'unknown', reason: unknownReason(error, sent.status) }
    }
    await this.#parts.adjustClock(error)
    const reasonOf = sent.mayHaveArrived ? refusalReason : unsentReason
    const reason = reasonOf(error, secrets, dialect)
    const mayTryAgain = verdict === 'busy' || dialect.isOutdated?.(account, error) === true
    if (mayTryAgain) return { status: 'busy', reason }
    return {
      status: 'refused',
      reason,
      // With two levels in one order, the refusal may be about the other one.
      isBeyond: isPlainStop(leg) && error instanceof Error && legs.isBeyond.test(error.message),
    }
  }

  async lookUp(leg: LegRequest): Promise<LegLookUp> {
    try {
      const { account, market } = await this.#parts.open(leg.symbol)
      const askedAt = Date.now()
      const found = await this.#find(account, market, leg)
      if (found !== undefined) return { status: 'found', leg: found }
      if (Math.abs(askedAt - leg.sentAt) >= this.#parts.absentAfterMs) return { status: 'absent' }
      return { status: 'unknown', reason: 'The exchange does not know the stop yet.' }
    } catch (error) {
      await this.#parts.adjustClock(error)
      return { status: 'unknown', reason: this.#parts.lookUpReason(error) }
    }
  }

  /** @throws {Error} for a target where the exchange keeps none */
  #dialectOf({ isTarget }: LegRequest): TargetDialect {
    const { legs } = this.#parts
    if (isTarget !== true) return legs
    if (legs.targets === undefined) throw new Error('The service keeps no targets at this exchange.')
    return legs.targets
  }

  async #find(account: CcxtAccount, market: CcxtTradedMarket, leg: LegRequest) {
    try {
      return await this.#dialectOf(leg).find(account, market, leg)
    } catch (error) {
      if (isCcxtError(error, 'OrderNotFound') && !isTemporary(error)) return undefined
      throw error
    }
  }

  async cancel(leg: LegRequest): Promise<void> {
    try {
      const { account, market } = await this.#parts.open(leg.symbol)
      await this.#dialectOf(leg).cancel(account, leg, market)
    } catch {
      // The next look-up shows whether the cancellation worked.
    }
  }

  /** @throws {NoSuchMarket} also for a market or an account whose stops the dialect does not know */
  async #openKnown(symbol: string) {
    const { legs, open } = this.#parts
    const opened = await open(symbol)
    if (!legs.supports(opened.market)) {
      throw new NoSuchMarket(`The service keeps no stops of ${symbol} at the exchange.`)
    }
    if ((await this.#supportsAccount(opened.account)) === false) {
      throw new NoSuchMarket('The service keeps no stops at the exchange for accounts of this kind.')
    }
    return opened
  }

  /** @throws {VenueUnreachable} */
  async #supportsAccount(account: CcxtAccount): Promise<boolean | undefined> {
    try {
      return await this.#parts.legs.supportsAccount?.(account)
    } catch (error) {
      throw new VenueUnreachable(this.#parts.lookUpReason(error))
    }
  }
}

function isPlainStop({ isTarget, oco }: LegRequest): boolean {
  return isTarget !== true && oco === undefined
}
