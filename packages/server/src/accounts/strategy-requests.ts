import { AsyncLocalStorage } from 'node:async_hooks'
import { timingSafeEqual } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import type { Vault } from '../secrets/vault.ts'

/** The header that marks a strategy's request to this service. Code cannot set it, and no other host receives it. */
export const strategyHeader = 'tickwright-strategy'

/** Longer than a strategy's request takes, and longer than the clocks of two nodes differ. */
const validSeconds = 60

/** Stands for a test run of code that is not saved. */
const noStrategy = 0

/** The method of a request, and its path with the query. */
type Target = { method: string; path: string }

/**
 * Recognises requests that strategies send to this service. A mark names the strategy, the time and the request, with a
 * keyed hash. Only nodes of this installation, which share the master key, can make one. Anyone who has seen a mark can
 * use it only for the same request, for a minute. It gives no access: it only says which strategy asks.
 */
export class StrategyRequests {
  #vault: Pick<Vault, 'hash'>
  #current = new AsyncLocalStorage<number>()
  #nowMs: () => number

  /** @param nowMs the clock, in Unix milliseconds; default: that of this machine */
  constructor(vault: Pick<Vault, 'hash'>, nowMs = () => Date.now()) {
    this.#vault = vault
    this.#nowMs = nowMs
  }

  /** @param strategyId any other value counts as a test run of code that is not saved */
  mark(strategyId: number, target: Target): string {
    const id = Number.isSafeInteger(strategyId) && strategyId > 0 ? strategyId : noStrategy
    const seconds = Math.floor(this.#nowMs() / 1000)
    return `${id}.${seconds}.${this.#hash(id, seconds, target).toString('base64url')}`
  }

  /** @returns the strategy that sent a request, 0 for a test run, or `undefined` if no strategy sent it */
  read({ headers, method = '', url = '' }: IncomingMessage): number | undefined {
    const given = headers[strategyHeader]
    if (typeof given !== 'string') return undefined
    const [, id, seconds, hash] = /^(\d{1,15})\.(\d{10})\.([\w-]{43})$/.exec(given) ?? []
    if (hash === undefined) return undefined
    if (Math.abs(this.#nowMs() / 1000 - Number(seconds)) > validSeconds) return undefined
    const expected = this.#hash(Number(id), Number(seconds), { method, path: url })
    return timingSafeEqual(Buffer.from(hash, 'base64url'), expected) ? Number(id) : undefined
  }

  /** Runs `work`, and lets everything that it starts know which strategy asked for it. */
  run(strategyId: number, work: () => void): void {
    this.#current.run(strategyId, work)
  }

  /** The strategy that sent the current request: 0 for a test run, `null` if no strategy sent it. */
  get current(): number | null {
    return this.#current.getStore() ?? null
  }

  #hash(id: number, seconds: number, { method, path }: Target): Buffer {
    return this.#vault.hash(JSON.stringify([id, seconds, method, path]), 'strategy_request')
  }
}
