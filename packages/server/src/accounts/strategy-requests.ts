import { AsyncLocalStorage } from 'node:async_hooks'
import { timingSafeEqual } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import type { Vault } from '../secrets/vault.ts'

/** What a request of a strategy to this service carries. Code cannot set it, and no other host is sent it. */
export const strategyHeader = 'tickwright-strategy'

/** Longer than a request of a strategy takes, and than the clocks of two nodes are apart. */
const validSeconds = 60

/** For a test run of code that is not saved. */
const noStrategy = 0

/** A request as it was sent: the method, and the path with its query. */
type Target = { method: string; path: string }

/**
 * Tells the requests that strategies make of this service from all others. A mark names the strategy, the moment and
 * the request, under a keyed hash: only nodes of this installation, which share the master key, can make one, and one
 * that somebody has seen is good for that request alone, and for a minute. It lets nobody in: it only says who asks.
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

  /** @param strategyId what is no id of a strategy counts as a test run of code that is not saved */
  mark(strategyId: number, target: Target): string {
    const id = Number.isSafeInteger(strategyId) && strategyId > 0 ? strategyId : noStrategy
    const seconds = Math.floor(this.#nowMs() / 1000)
    return `${id}.${seconds}.${this.#hash(id, seconds, target).toString('base64url')}`
  }

  /** @returns the strategy that made a request, 0 for a test run; `undefined` for a request that no strategy made */
  read({ headers, method = '', url = '' }: IncomingMessage): number | undefined {
    const given = headers[strategyHeader]
    if (typeof given !== 'string') return undefined
    const [, id, seconds, hash] = /^(\d{1,15})\.(\d{10})\.([\w-]{43})$/.exec(given) ?? []
    if (hash === undefined) return undefined
    if (Math.abs(this.#nowMs() / 1000 - Number(seconds)) > validSeconds) return undefined
    const expected = this.#hash(Number(id), Number(seconds), { method, path: url })
    return timingSafeEqual(Buffer.from(hash, 'base64url'), expected) ? Number(id) : undefined
  }

  /** Lets all that comes of `work` know which strategy asked for it. */
  run(strategyId: number, work: () => void): void {
    this.#current.run(strategyId, work)
  }

  /** The strategy that asked for what is being done: 0 for a test run, `null` where none did. */
  get current(): number | null {
    return this.#current.getStore() ?? null
  }

  #hash(id: number, seconds: number, { method, path }: Target): Buffer {
    return this.#vault.hash(JSON.stringify([id, seconds, method, path]), 'strategy_request')
  }
}
