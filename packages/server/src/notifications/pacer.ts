import { TokenBuckets } from '../base/token-buckets.ts'
import type { Vault } from '../secrets/vault.ts'
import type { Pace } from './kinds/kind.ts'
import { chatKindOf } from './kinds/kinds.ts'
import type { HeldEndpoint } from './queue.ts'
import { openPlace } from './sealed.ts'

/** Keeps the pace of chat services, so that they rarely have to refuse. Webhooks have none. */
export class Pacer {
  #vault: Vault
  /** One for each pace, by endpoint. */
  #buckets = new Map<string, TokenBuckets>()

  constructor(vault: Vault) {
    this.#vault = vault
  }

  /** @returns how long the endpoint must not be sent to yet, in ms; 0: it may be, and this counts as once */
  waitMs(endpoint: HeldEndpoint): number {
    const pace = this.#paceOf(endpoint)
    if (pace === undefined) return 0
    return Math.ceil(1000 * this.#bucketOf(pace).take(endpoint.id, performance.now()))
  }

  #paceOf(endpoint: HeldEndpoint): Pace | undefined {
    const kind = chatKindOf(endpoint.kind)
    if (kind === undefined) return undefined
    try {
      return kind.pace(openPlace(this.#vault, endpoint))
    } catch {
      // Nothing is sent to an endpoint that cannot be decrypted.
      return undefined
    }
  }

  #bucketOf({ aSecond, atOnce }: Pace): TokenBuckets {
    const key = `${aSecond}/${atOnce}`
    const known = this.#buckets.get(key)
    if (known !== undefined) return known
    const made = new TokenBuckets(aSecond, atOnce)
    this.#buckets.set(key, made)
    return made
  }
}
