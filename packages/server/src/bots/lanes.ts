import type { WaitingSignal } from './inbox.ts'
import { freeTurn, type Turn, Turns } from './turns.ts'

/** Symbols that a bot trades at once. */
const symbolsAtMost = 1_000
/** How long signals of other symbols wait until it is known what a symbol is called that has just come up. */
const headStartMs = 2_000

export type LanesParts = {
  /** Whether signals of all symbols begin in the order in which they came. */
  isInOrder: boolean
  /** What the venue calls a symbol. Never rejects. */
  nameOf(symbol: string): Promise<string>
  /** Follows one signal to its end. Never rejects. */
  follow(signal: WaitingSignal): Promise<void>
  /** There is room for more of a symbol. */
  onRoom(): void
}

/** A symbol as signals spell it, while there are signals of it. */
type Spelling = { signals: number; name: Promise<string> }
type Lane = { done: Promise<void>; turn: Turn }

/**
 * The signals that a bot has in hand: those for one symbol one after another, in the order in which they came, symbols
 * side by side. So what holds up one symbol, holds up no other.
 */
export class Lanes {
  #parts: LanesParts
  #turns: Turns | undefined
  #spellings = new Map<string, Spelling>()
  /** By the venue's name of the symbol: the last that waits for it. */
  #lanes = new Map<string, Lane>()
  #inHand = new Set<number>()
  #idle = Promise.withResolvers<void>()

  constructor(parts: LanesParts) {
    this.#parts = parts
    this.#turns = parts.isInOrder ? new Turns() : undefined
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

  /** @returns how many it took: a symbol more than it has room for is left for later */
  async take(signals: WaitingSignal[]): Promise<number> {
    const fresh: Promise<string>[] = []
    const taken: [WaitingSignal, Spelling][] = []
    for (const signal of signals) {
      const spelling = this.#spellings.get(signal.symbol) ?? this.#add(signal.symbol, fresh)
      if (spelling === undefined) continue
      if (this.isEmpty) this.#idle = Promise.withResolvers()
      this.#inHand.add(signal.id)
      spelling.signals += 1
      taken.push([signal, spelling])
    }
    // Two spellings may turn out to be one symbol: as a rule that is known before any of them begins.
    if (fresh.length > 0) await within(headStartMs, Promise.all(fresh))
    for (const [signal, spelling] of taken) {
      // One promise for all signals of a spelling, so that they go on in their order.
      void spelling.name.then((name) => this.#enqueue(name, signal, spelling))
    }
    return taken.length
  }

  #add(symbol: string, fresh: Promise<string>[]): Spelling | undefined {
    if (this.#spellings.size >= symbolsAtMost) return undefined
    const spelling = { signals: 0, name: this.#parts.nameOf(symbol) }
    this.#spellings.set(symbol, spelling)
    fresh.push(spelling.name)
    return spelling
  }

  #enqueue(name: string, signal: WaitingSignal, spelling: Spelling): void {
    const before = this.#lanes.get(name)
    const turn = this.#turnAfter(before)
    const done = (before?.done ?? Promise.resolve())
      .then(() => turn.begun)
      .then(() => this.#parts.follow(signal))
      .then(() => {
        turn.end()
        if (this.#lanes.get(name)?.done === done) this.#lanes.delete(name)
        this.#drop(signal, spelling)
      })
    this.#lanes.set(name, { done, turn })
  }

  /** Behind one that has lost its place in the order there is no place to have. */
  #turnAfter(before: Lane | undefined): Turn {
    return this.#turns === undefined || before?.turn.isReleased === true ? freeTurn : this.#turns.join()
  }

  #drop({ id, symbol }: WaitingSignal, spelling: Spelling): void {
    this.#inHand.delete(id)
    spelling.signals -= 1
    if (this.isEmpty) this.#idle.resolve()
    if (spelling.signals > 0) return
    this.#spellings.delete(symbol)
    this.#parts.onRoom()
  }
}

async function within(ms: number, promise: Promise<unknown>): Promise<void> {
  const { promise: late, resolve } = Promise.withResolvers<void>()
  const timer = setTimeout(resolve, ms)
  await Promise.race([promise, late])
  clearTimeout(timer)
}
