import { setTimeout as sleep } from 'node:timers/promises'
import { LRUCache } from 'lru-cache'

/** How long a venue may take to say what it calls a symbol. */
const timeoutMs = 30_000
const rememberedMs = 600_000
const rememberedAtMost = 1_000

/**
 * What the venue of a bot calls the symbols that signals name: one market, however it is spelled. Remembered for a
 * while, so that a signal need not ask for the same thing again.
 */
export class SymbolNames {
  #lookUp: (symbol: string) => Promise<string>
  #stop: AbortSignal
  #names = new LRUCache<string, Promise<string>>({ max: rememberedAtMost, ttl: rememberedMs })

  /** @param stop ends every wait for an answer */
  constructor(lookUp: (symbol: string) => Promise<string>, stop: AbortSignal) {
    this.#lookUp = lookUp
    this.#stop = stop
  }

  /** Never rejects: a symbol that the venue does not tell, or not in time, is told apart by its letters. */
  of(symbol: string): Promise<string> {
    const known = this.#names.get(symbol)
    if (known !== undefined) return known
    const name = this.#ask(symbol).catch(() => {
      if (this.#names.peek(symbol) === name) this.#names.delete(symbol)
      return lettersOf(symbol)
    })
    this.#names.set(symbol, name)
    return name
  }

  /** The bot trades somewhere else from now on. */
  forget(): void {
    this.#names.clear()
  }

  async #ask(symbol: string): Promise<string> {
    const over = new AbortController()
    const signal = AbortSignal.any([this.#stop, over.signal])
    const late = sleep(timeoutMs, undefined, { signal, ref: false }).then(() => {
      throw new Error(`The venue does not tell what it calls ${symbol}.`)
    })
    try {
      return await Promise.race([this.#lookUp(symbol), late])
    } finally {
      late.catch(() => undefined)
      over.abort()
    }
  }
}

function lettersOf(symbol: string): string {
  return symbol.toUpperCase().replaceAll(/[^A-Z0-9]/g, '')
}
