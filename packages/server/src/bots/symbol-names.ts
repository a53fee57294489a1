import { setTimeout as sleep } from 'node:timers/promises'
import { LRUCache } from 'lru-cache'
import { AppError } from '../base/errors.ts'

/** How long a venue may take to look up a symbol. */
const timeoutMs = 30_000
const rememberedMs = 600_000
const mostRemembered = 1_000

/**
 * The venue's names of the symbols in signals: several spellings can mean one market. Names are cached for a while, so
 * that not every signal asks the venue.
 */
export class SymbolNames {
  #lookUp: (symbol: string) => Promise<string>
  #stop: AbortSignal
  #names = new LRUCache<string, Promise<string>>({ max: mostRemembered, ttl: rememberedMs })

  /** @param stop ends every look-up */
  constructor(lookUp: (symbol: string) => Promise<string>, stop: AbortSignal) {
    this.#lookUp = lookUp
    this.#stop = stop
  }

  /** Never rejects. If the venue does not answer in time, the letters and digits of the symbol are its name. */
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

  /** Clears the cache, because the bot now trades on another exchange. */
  forget(): void {
    this.#names.clear()
  }

  async #ask(symbol: string): Promise<string> {
    const over = new AbortController()
    const signal = AbortSignal.any([this.#stop, over.signal])
    const late = sleep(timeoutMs, undefined, { signal, ref: false }).then(() => {
      throw new Error(`The venue did not look up ${symbol} in time.`)
    })
    try {
      return await Promise.race([this.#lookUp(symbol), late])
    } finally {
      late.catch(() => undefined)
      over.abort()
    }
  }
}

export function lettersOf(symbol: string): string {
  return symbol.toUpperCase().replaceAll(/[^A-Z0-9]/g, '')
}

/**
 * The symbol that a spelling means. Its letters and digits decide, so that a dated contract never stands for a perpetual
 * one.
 * @throws {AppError} 409 that names the symbols, if the spelling fits several of them
 */
export function symbolMeant(fitting: string[], spelling: string): string[] {
  const exact = fitting.filter((symbol) => lettersOf(symbol) === lettersOf(spelling))
  if (exact.length === 1) return exact
  // Its contract is not among them. The others are not what it names.
  if (spelling.includes(':')) return []
  if (fitting.length < 2) return fitting
  throw new AppError(
    'resource_conflict',
    `The bot has several symbols that ${spelling} can mean: ${fitting.join(', ')}. Name one of them in full.`,
  )
}
