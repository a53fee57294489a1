import type { Waiting, WaitingSignal } from './inbox.ts'
import { freeTurn, type Turn, Turns } from './turns.ts'

/** A bot trades at most this many symbols at the same time. */
const mostSymbols = 1_000
/** How long the signals of other symbols wait for the venue's name of a new symbol. */
const namingTimeoutMs = 2_000

export type SymbolQueuesParts = {
  /**
   * Signals of all symbols begin in the order of their arrival, unless one of them takes longer than this. `null`: the
   * order holds only within a symbol.
   */
  orderTimeoutMs: number | null
  /** Returns the venue's name of a symbol. Never rejects. */
  nameOf(symbol: string): Promise<string>
  /**
   * Follows one signal to its end. Never rejects.
   * @param newer the signals that wait behind it
   * @param onRest to be called if it may take long, so that no other symbol waits for it
   */
  follow(signal: WaitingSignal, newer: NewerSignals, onRest: () => void): Promise<void>
  /** Called when there may be more signals to take. */
  onRoom(): void
}

/** A spelling of a symbol, while there are signals with it. `known`: the venue's name, once the venue has given it. */
type Spelling = { signals: number; name: Promise<string>; known?: string }
/** The queue of a symbol: when its last signal has ended, the turn of that signal, and all signals in it. */
type Queue = { done: Promise<void>; turn: Turn; newer: NewerSignals }

/** The signals of a symbol that wait behind the one that is being followed, in the order of their arrival. */
export class NewerSignals {
  #signals: WaitingSignal[] = []
  #arrival = new AbortController()

  get signals(): readonly WaitingSignal[] {
    return this.#signals
  }

  /** Aborted when the next signal arrives. */
  get arrival(): AbortSignal {
    return this.#arrival.signal
  }

  add(signal: WaitingSignal): void {
    this.#signals.push(signal)
    const arrived = this.#arrival
    this.#arrival = new AbortController()
    arrived.abort()
  }

  /** The signal is being followed now. */
  begin(signal: WaitingSignal): void {
    this.#signals = this.#signals.filter(({ id }) => id !== signal.id)
  }
}

/**
 * The signals that a bot is working on, with a queue for each symbol. The signals of a symbol run one after another, in
 * the order of their arrival. Different symbols run in parallel, so a problem with one symbol delays no other.
 */
export class SymbolQueues {
  #parts: SymbolQueuesParts
  #turns: Turns | undefined
  #spellings = new Map<string, Spelling>()
  /** By the venue's name of the symbol. */
  #queues = new Map<string, Queue>()
  #inProgress = new Set<number>()
  /**
   * From the last look at the inbox: for each spelling with more signals, the first one that was left out, or whose delay
   * is not over.
   */
  #leftOut: { id: number; spelling: Spelling; isDelayed: boolean }[] = []
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
    return this.#inProgress
  }

  get isEmpty(): boolean {
    return this.#inProgress.size === 0
  }

  /** Resolves when no signal is in progress. */
  idle(): Promise<void> {
    return this.#idle.promise
  }

  /** Whether a signal or a task of the symbol is in progress. @param name the venue's name of the symbol */
  isBusy(name: string): boolean {
    return this.#queues.has(name)
  }

  /** Runs a task between the signals of a symbol. @param name the venue's name of the symbol */
  inTurn<T>(name: string, task: () => Promise<T>): Promise<T> {
    const before = this.#queues.get(name)
    const result = (before?.done ?? Promise.resolve()).then(task)
    const done = result.then(noop, noop).then(() => {
      if (this.#queues.get(name)?.done === done) this.#queues.delete(name)
    })
    this.#queues.set(name, { done, turn: freeTurn, newer: before?.newer ?? new NewerSignals() })
    return result
  }

  /** Queues signals. @returns whether the caller should look for more at once */
  async take({
    signals,
    leftOut,
    delayed,
    mayBeMore,
  }: Omit<Waiting, 'untilDueMs' | 'bot'>): Promise<boolean> {
    const fresh: Promise<unknown>[] = []
    const taken: [WaitingSignal, Spelling][] = []
    for (const signal of signals) {
      const spelling = this.#spellings.get(signal.symbol) ?? this.#add(signal.symbol, fresh)
      // There is no room for another symbol.
      if (spelling === undefined) continue
      if (this.isEmpty) this.#idle = Promise.withResolvers()
      this.#inProgress.add(signal.id)
      spelling.signals += 1
      taken.push([signal, spelling])
    }
    // The signals in progress of such a symbol may have ended, so its spelling may need a new entry.
    const firstOf =
      (isDelayed: boolean) =>
      ([symbol, id]: [symbol: string, id: number]) => {
        return { id, spelling: this.#spellings.get(symbol) ?? this.#spellingOf(symbol, fresh), isDelayed }
      }
    this.#leftOut = [...Array.from(leftOut, firstOf(false)), ...Array.from(delayed, firstOf(true))]
    // Two spellings may mean the same symbol. Usually the venue says so before any of them begins.
    if (fresh.length > 0) await within(this.#parts.orderTimeoutMs ?? namingTimeoutMs, Promise.all(fresh))
    let isAnyTaken = false
    let isAnyLate = false
    for (const [signal, spelling] of taken) {
      // Nothing but the end of the delay lets it begin, and that wakes the bot.
      if (spelling.known !== undefined && this.#isBehindDelay(signal, spelling.known)) {
        this.#drop(signal, spelling)
        continue
      }
      isAnyLate = true
      if (spelling.known !== undefined) isAnyTaken = this.#enqueue(signal, spelling) || isAnyTaken
      // All signals of a spelling wait for the same promise, so they keep their order.
      else void spelling.name.then(() => this.#enqueue(signal, spelling))
    }
    return (isAnyTaken && mayBeMore) || (isAnyLate && this.isEmpty)
  }

  #add(symbol: string, fresh: Promise<unknown>[]): Spelling | undefined {
    if (this.#spellings.size >= mostSymbols) return undefined
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

  /** @returns whether the signal is queued; if not, it stays in the inbox for later */
  #enqueue(signal: WaitingSignal, spelling: Spelling): boolean {
    const name = spelling.known!
    if (this.#isTooEarly(signal, name) || this.#isBehindDelay(signal, name)) {
      this.#drop(signal, spelling)
      return false
    }
    const before = this.#queues.get(name)
    const turn = this.#turnAfter(before)
    const newer = before?.newer ?? new NewerSignals()
    newer.add(signal)
    const done = (before?.done ?? Promise.resolve())
      .then(() => turn.begun)
      .then(() => newer.begin(signal))
      .then(() => this.#parts.follow(signal, newer, () => turn.release()))
      .then(() => {
        turn.end()
        if (this.#queues.get(name)?.done === done) this.#queues.delete(name)
        if (this.#drop(signal, spelling)) this.#parts.onRoom()
      })
    this.#queues.set(name, { done, turn, newer })
    return true
  }

  /** Whether an earlier signal was left out that must begin first: of the same symbol, or of one that keeps its place. */
  #isTooEarly({ id }: WaitingSignal, name: string): boolean {
    return this.#leftOut.some(
      ({ id: leftOut, spelling: { known }, isDelayed }) =>
        !isDelayed && leftOut < id && (known === name || this.#keepsPlace(known)),
    )
  }

  /** Whether an earlier signal of the same symbol is still delayed. A close of the owner or of a limit never waits for it. */
  #isBehindDelay({ id, origin }: WaitingSignal, name: string): boolean {
    if (origin !== null) return false
    return this.#leftOut.some(
      ({ id: delayed, spelling: { known }, isDelayed }) => isDelayed && delayed < id && known === name,
    )
  }

  /** Whether other symbols wait for this one. They do not if it is too slow, or if there is no room for it. */
  #keepsPlace(name: string | undefined): boolean {
    if (this.#turns === undefined || name === undefined) return false
    const last = this.#queues.get(name)
    return last === undefined ? this.#spellings.size < mostSymbols : !last.turn.isReleased
  }

  /** A signal behind one that lost its place has no place either. */
  #turnAfter(before: Queue | undefined): Turn {
    return this.#turns === undefined || before?.turn.isReleased === true ? freeTurn : this.#turns.join()
  }

  /** @returns whether it was the last signal of its spelling */
  #drop({ id, symbol }: WaitingSignal, spelling: Spelling): boolean {
    this.#inProgress.delete(id)
    spelling.signals -= 1
    if (this.isEmpty) this.#idle.resolve()
    if (spelling.signals > 0) return false
    this.#spellings.delete(symbol)
    return true
  }
}

const noop = () => undefined

async function within(ms: number, promise: Promise<unknown>): Promise<void> {
  const { promise: late, resolve } = Promise.withResolvers<void>()
  const timer = setTimeout(resolve, ms)
  await Promise.race([promise, late])
  clearTimeout(timer)
}
