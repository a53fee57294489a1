import type { Waiting, WaitingSignal } from './inbox.ts'
import { freeTurn, type Turn, Turns } from './turns.ts'

/** Symbols that a bot trades at once. */
const symbolsAtMost = 1_000
/** How long signals of other symbols wait until it is known what a symbol is called that has just come up. */
const headStartMs = 2_000

export type SymbolQueuesParts = {
  /**
   * Signals of all symbols begin in the order in which they came, unless one of them takes longer than this; `null`:
   * each symbol has an order of its own.
   */
  orderTimeoutMs: number | null
  /** What the venue calls a symbol. Never rejects. */
  nameOf(symbol: string): Promise<string>
  /** Follows one signal to its end. Never rejects. */
  follow(signal: WaitingSignal): Promise<void>
  /** There is room for more of a symbol, or others need not wait for one any more. */
  onRoom(): void
}

/** A symbol as signals spell it, while there are signals of it. `known`: its name, once that has been told. */
type Spelling = { signals: number; name: Promise<string>; known?: string }
type Lane = { done: Promise<void>; turn: Turn }

/**
 * The signals that a bot has in hand: those for one symbol one after another, in the order in which they came, symbols
 * side by side. So what holds up one symbol, holds up no other.
 */
export class SymbolQueues {
  #parts: SymbolQueuesParts
  #turns: Turns | undefined
  #spellings = new Map<string, Spelling>()
  /** By the venue's name of the symbol: the last that waits for it. */
  #queues = new Map<string, Lane>()
  #inHand = new Set<number>()
  /** As the inbox said last: the first signals of their spellings that are not in hand. */
  #leftOut: { id: number; spelling: Spelling }[] = []
  #idle = Promise.withResolvers<void>()

  constructor(parts: SymbolQueuesParts) {
    this.#parts = parts
    const { orderTimeoutMs } = parts
    if (orderTimeoutMs !== null) {
      this.#turns = new Turns({ timeoutMs: orderTimeoutMs, onRelease: () => parts.onRoom() })
    }
    this.#idle.resolve()
  }

  get ids(): ReadonlySet<number> {
    return this.#inHand
  }

  get isEmpty(): boolean {
    return this.#inHand.size === 0
  }

  /** Resolves when nothing is in hand. */
  idle(): Promise<void> {
    return this.#idle.promise
  }

  /** @returns whether there may be more to take at once */
  async take({ signals, leftOut }: Waiting): Promise<boolean> {
    const fresh: Promise<unknown>[] = []
    const taken: [WaitingSignal, Spelling][] = []
    for (const signal of signals) {
      const spelling = this.#spellings.get(signal.symbol) ?? this.#add(signal.symbol, fresh)
      // Of more symbols than there is room for.
      if (spelling === undefined) continue
      if (this.isEmpty) this.#idle = Promise.withResolvers()
      this.#inHand.add(signal.id)
      spelling.signals += 1
      taken.push([signal, spelling])
    }
    // What is in hand of these may have ended since, or end before the next line but one.
    this.#leftOut = Array.from(leftOut, ([symbol, id]) => {
      return { id, spelling: this.#spellings.get(symbol) ?? this.#spellingOf(symbol, fresh) }
    })
    // Two spellings may turn out to be one symbol: as a rule that is known before any of them begins.
    if (fresh.length > 0) await within(this.#parts.orderTimeoutMs ?? headStartMs, Promise.all(fresh))
    let isAnyTaken = false
    for (const [signal, spelling] of taken) {
      if (spelling.known !== undefined) isAnyTaken = this.#enqueue(signal, spelling) || isAnyTaken
      // One promise for all signals of a spelling, so that they go on in their order.
      else void spelling.name.then(() => this.#enqueue(signal, spelling))
    }
    return isAnyTaken || (taken.length > 0 && this.isEmpty)
  }

  #add(symbol: string, fresh: Promise<unknown>[]): Spelling | undefined {
    if (this.#spellings.size >= symbolsAtMost) return undefined
    const spelling = this.#spellingOf(symbol, fresh)
    this.#spellings.set(symbol, spelling)
    return spelling
  }

  #spellingOf(symbol: string, fresh: Promise<unknown>[]): Spelling {
    const spelling: Spelling = { signals: 0, name: this.#parts.nameOf(symbol) }
    fresh.push(
      spelling.name.then((name) => {
        spelling.known = name
      }),
    )
    return spelling
  }

  /** @returns whether it is on its way; else it is left for later */
  #enqueue(signal: WaitingSignal, spelling: Spelling): boolean {
    const name = spelling.known!
    if (this.#isTooEarly(signal, name)) {
      this.#drop(signal, spelling)
      return false
    }
    const before = this.#queues.get(name)
    const turn = this.#turnAfter(before)
    const done = (before?.done ?? Promise.resolve())
      .then(() => turn.begun)
      .then(() => this.#parts.follow(signal))
      .then(() => {
        turn.end()
        if (this.#queues.get(name)?.done === done) this.#queues.delete(name)
        if (this.#drop(signal, spelling)) this.#parts.onRoom()
      })
    this.#queues.set(name, { done, turn })
    return true
  }

  /** Whether an earlier signal has been left out, of the same symbol or, in order, of one that keeps its place. */
  #isTooEarly({ id }: WaitingSignal, name: string): boolean {
    return this.#leftOut.some(
      ({ id: leftOut, spelling: { known } }) => leftOut < id && (known === name || this.#keepsPlace(known)),
    )
  }

  /** Whether others wait for this symbol: not behind one that takes its time, or for which there is no room. */
  #keepsPlace(name: string | undefined): boolean {
    if (this.#turns === undefined || name === undefined) return false
    const lane = this.#queues.get(name)
    return lane === undefined ? this.#spellings.size < symbolsAtMost : !lane.turn.isReleased
  }

  /** Behind one that has lost its place in the order there is no place to have. */
  #turnAfter(before: Lane | undefined): Turn {
    return this.#turns === undefined || before?.turn.isReleased === true ? freeTurn : this.#turns.join()
  }

  /** @returns whether there is none of its spelling in hand any more */
  #drop({ id, symbol }: WaitingSignal, spelling: Spelling): boolean {
    this.#inHand.delete(id)
    spelling.signals -= 1
    if (this.isEmpty) this.#idle.resolve()
    if (spelling.signals > 0) return false
    this.#spellings.delete(symbol)
    return true
  }
}

async function within(ms: number, promise: Promise<unknown>): Promise<void> {
  const { promise: late, resolve } = Promise.withResolvers<void>()
  const timer = setTimeout(resolve, ms)
  await Promise.race([promise, late])
  clearTimeout(timer)
}
