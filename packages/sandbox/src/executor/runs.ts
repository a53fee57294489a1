/** The runs of one executor: starts them, delivers replies, finds out how they end, and keeps isolates warm between runs. */

import { logByteLimit, logCutMark, timedLinesPerRun } from '../limits.ts'
import {
  type CallMessage,
  callMark,
  type EndMessage,
  type ExecutorMessage,
  type OpenMessage,
  type ReplyMessage,
  type RunMessage,
  type SeriesMessage,
  type StartedRun,
} from '../messages.ts'
import { ServiceWait } from '../service-wait.ts'
import type { RunError } from '../types.ts'
import { DirectEntries, directEntryMs, directLimitMs } from './direct-entries.ts'
import { Entries } from './entries.ts'
import { guestKinds } from './guest/kinds.ts'
import { type GuestIsolate, IsolateFactory } from './guest-isolate.ts'
import { HeldCandles } from './held-candles.ts'
import type { Ivm } from './ivm.ts'
import { RunClock } from './run-clock.ts'
import { executeQuietly, runAfter } from './series.ts'
import { readUnhandled } from './unhandled.ts'

/** The last message of a guest. */
type GuestEnd = {
  error: RunError | null
  isSyntax: boolean
  storage?: string
  oversizeBytes?: number
}

type Run = {
  message: RunMessage
  guest: GuestIsolate
  /** When its first line began, on the clock of this process. */
  startedAt: number
  clock: RunClock
  /** The processor time of its isolate before the run, in ns. */
  cpuBefore: bigint
  deadline: NodeJS.Timeout | undefined
  /** Entries that wait for a place or run in the isolate. */
  entries: number
  /** Its host calls without a reply, and the time in which it only waits for the service. */
  wait: ServiceWait
  log: string
  /** When it logged and called, as its end tells the parent; `undefined` before the first time. */
  marks: number[] | undefined
  timedLines: number
  /** The length of the log that the parent has; -1 before it knows about the run. */
  told: number
  end: GuestEnd | null
  /** An unhandled rejection. It fails the run, just as it ends a Node process. */
  unhandled: RunError | null
}

/** A spare isolate is made when no run has ended for this long, in ms. */
const idleMs = 5

/** Average memory of a warm isolate, in bytes. The parent's limit for the memory of an executor allows for it. */
const warmBytesEach = 6 * 1024 * 1024

/**
 * The memory of a warm isolate is measured after each run with more processor time than this, in ms, and after each eighth
 * run in any case. Filling memory takes time: in less than this, a run cannot fill more than about 4 MB.
 */
const measuredFromMs = 1
const measuredEach = 8

export class Runs {
  readonly #options: OpenMessage
  readonly #send: (message: ExecutorMessage) => void
  readonly #factory: IsolateFactory
  readonly #entries: Entries
  readonly #candles: HeldCandles
  readonly #directEntries = new DirectEntries()
  readonly #running = new Map<number, Run>()
  /** Idle isolates by strategy; the least recently used first. */
  readonly #warm = new Map<number, GuestIsolate>()
  #warmBytes = 0
  /** An unused isolate for the next strategy that has none. */
  #spare: Promise<GuestIsolate> | undefined
  #replenishing: NodeJS.Timeout | undefined

  constructor(ivm: Ivm, options: OpenMessage, threads: number, send: (message: ExecutorMessage) => void) {
    this.#options = options
    this.#send = send
    this.#factory = new IsolateFactory(ivm, options, (guest, run, kind, text) =>
      this.#posted(guest, run, kind, text),
    )
    this.#entries = new Entries(threads)
    this.#candles = new HeldCandles(ivm)
  }

  get size(): number {
    return this.#running.size
  }

  /** Makes the first isolate, which shows that this process can work. */
  async prepare(): Promise<void> {
    this.#spare = this.#factory.make()
    await this.#spare
  }

  /** The news of current runs for the parent: that they have started, and their log so far. */
  news(): StartedRun[] {
    const now = performance.now()
    const news: StartedRun[] = []
    for (const run of this.#running.values()) {
      if (run.told === run.log.length) continue
      run.told = run.log.length
      news.push([run.message.run, now - run.startedAt, run.log])
    }
    return news
  }

  forget(strategy: number): void {
    const guest = this.#warm.get(strategy)
    if (guest === undefined) return
    this.#warm.delete(strategy)
    this.#warmBytes -= guest.bytes
    guest.dispose()
  }

  start(message: RunMessage): void {
    const warm = this.#takeWarm(message)
    if (warm === undefined && message.code === undefined) {
      this.#send({ type: 'cold', run: message.run })
      return
    }
    if (warm !== undefined && this.#mayEnterDirectly(message, warm)) {
      this.#directEntries.add(() => this.#startDirectly(message, warm))
      return
    }
    this.#entries.add(async () => {
      const guest = warm ?? (await this.#takeSpare())
      const code = guest.codeId === message.codeId ? undefined : message.code
      guest.codeId = message.codeId
      const run = this.#open(message, guest)
      this.#watch(run)
      await this.#enter(run, (timeoutMs) => guest.start(message, code, run.clock.startMs, timeoutMs))
    })
  }

  #open(message: RunMessage, guest: GuestIsolate): Run {
    const run: Run = {
      message,
      guest,
      startedAt: performance.now(),
      clock: new RunClock(message),
      cpuBefore: guest.isolate.cpuTime,
      deadline: undefined,
      entries: 0,
      wait: new ServiceWait(),
      log: '',
      marks: undefined,
      timedLines: 0,
      told: -1,
      end: null,
      unhandled: null,
    }
    this.#running.set(message.run, run)
    return run
  }

  /** Ends the run when its time is over, which stands still while the run only waits for the service. */
  #watch(run: Run): void {
    clearTimeout(run.deadline)
    run.deadline = run.wait.isOn
      ? setTimeout(() => this.#finish(run, 'unanswered'), this.#options.serviceWaitMs - run.wait.ms())
      : setTimeout(() => this.#overdue(run), this.#leftMs(run))
  }

  #mayEnterDirectly({ strategy }: RunMessage, guest: GuestIsolate): boolean {
    const { entersDirectly, timeoutMs } = this.#options
    if (!entersDirectly || timeoutMs < 2 * directEntryMs) return false
    return this.#directEntries.allows(strategy, guest.shortRuns)
  }

  #startDirectly(message: RunMessage, guest: GuestIsolate): void {
    const run = this.#open(message, guest)
    let posts: unknown
    try {
      posts = guest.startDirectly(message, run.clock.startMs, directLimitMs())
    } catch {
      // It took too long, needed too much memory, or left a rejection unhandled. Nothing that it did has left the guest,
      // so the parent sends it again with its code, and it starts again from the beginning.
      this.#running.delete(message.run)
      // Less processor time than that means that the machine was busy, or that it was not the time.
      if (cpuMsOf(run) >= directEntryMs / 2) this.#directEntries.punish(message.strategy)
      guest.dispose()
      this.#send({ type: 'cold', run: message.run })
      return
    }
    this.#adopt(run, posts)
  }

  /** Goes on with a run that has entered directly. */
  #adopt(run: Run, posts: unknown): void {
    this.#takePosts(run, posts)
    this.#settle(run)
    if (this.#running.has(run.message.run)) this.#watch(run)
  }

  /** Executes runs of a series for a moment: those that need nothing but their isolate, and then the first other one. */
  series(message: SeriesMessage): void {
    this.#directEntries.add(async () => {
      const guest = this.#takeWarm(message) ?? (await this.#takeSpare())
      const { rest, posts, ...chunk } = executeQuietly(guest, message, this.#options.runsPerIsolate)
      this.#send({ type: 'chunk', run: message.run, ...chunk, goesOn: rest !== null })
      if (rest === null) {
        if (!this.#keep(message, guest, measuredFromMs + 1)) guest.dispose()
        return
      }
      const run = runAfter(message, chunk)
      if (rest === 'waits') {
        this.#adopt(this.#open(run, guest), posts)
        return
      }
      guest.dispose()
      this.start(run)
    })
  }

  /** Takes what a guest has posted during a direct entry. */
  #takePosts({ guest, message }: Run, posts: unknown): void {
    if (!Array.isArray(posts)) return
    for (let index = 0; index + 1 < posts.length; index += 2) {
      const [kind, text] = [posts[index] as unknown, posts[index + 1] as unknown]
      if (typeof kind === 'number' && typeof text === 'string') this.#posted(guest, message.run, kind, text)
    }
  }

  reply(message: ReplyMessage): void {
    const answer = this.#candles.answerIn(message)
    const run = this.#running.get(message.run)
    if (run === undefined) return
    run.wait.answered(message.call)
    if (run.wait.end()) this.#watch(run)
    run.entries += 1
    this.#entries.add(async () => {
      run.entries -= 1
      if (this.#running.get(message.run) !== run) return
      const nowMs = run.clock.answer(message.call)
      await this.#enter(run, (timeoutMs) => run.guest.deliver(message, answer, nowMs, timeoutMs))
    })
  }

  /** Takes the spare isolate, or makes one. */
  #takeSpare(): Promise<GuestIsolate> {
    const guest = this.#spare ?? this.#factory.make()
    this.#spare = undefined
    return guest
  }

  /** Makes the next spare isolate, which takes milliseconds, when there has been nothing else to do for a moment. */
  #replenish(): void {
    clearTimeout(this.#replenishing)
    this.#replenishing = setTimeout(() => {
      this.#spare ??= this.#factory.make()
    }, idleMs)
  }

  #takeWarm(message: RunMessage | SeriesMessage): GuestIsolate | undefined {
    const guest = this.#warm.get(message.strategy)
    if (guest === undefined) return undefined
    this.#warm.delete(message.strategy)
    this.#warmBytes -= guest.bytes
    if (guest.codeId === message.codeId) return guest
    guest.dispose()
    return undefined
  }

  /** One entry into the isolate of a run. It gets the remaining wall-clock time, so that no entry outlives the deadline. */
  async #enter(run: Run, entry: (timeoutMs: number) => Promise<unknown>): Promise<void> {
    run.entries += 1
    try {
      await entry(Math.max(1, this.#leftMs(run)))
    } catch (error) {
      // The clock and the state of the isolate decide, not the text of the error, which the guest can forge.
      if (!run.guest.isolate.isDisposed && !this.#isOverdue(run)) run.unhandled ??= readUnhandled(error)
    }
    run.entries -= 1
    this.#settle(run)
  }

  /** In whole ms. */
  #leftMs({ startedAt, wait }: Run): number {
    return Math.ceil(startedAt + wait.ms() + this.#options.timeoutMs - performance.now())
  }

  #isOverdue(run: Run): boolean {
    return this.#leftMs(run) <= 0
  }

  /** Ends the run after an entry, if it is over. It has no more microtasks, so its pending calls are known exactly. */
  #settle(run: Run): void {
    if (run.entries > 0) return
    if (this.#isOverdue(run)) this.#finish(run, 'timeout')
    else if (run.guest.isolate.isDisposed) this.#finish(run, 'memory')
    else if (run.end !== null) void this.#finishByItself(run, run.end)
    else if (run.wait.open === 0) {
      const message = 'The code waits for a promise that will never settle.'
      this.#finish(run, 'threw', run.unhandled ?? { name: 'Error', message, line: null, column: null })
    } else if (run.wait.isForService) {
      run.wait.begin()
      this.#send({ type: 'waits', run: run.message.run })
      this.#watch(run)
    }
  }

  async #finishByItself(run: Run, end: GuestEnd): Promise<void> {
    let { error } = end
    if (error !== null && end.isSyntax) {
      const place = await run.guest.locateSyntaxError(run.message.code ?? '')
      error = {
        ...error,
        line: place?.line ?? null,
        column: place?.column ?? null,
      }
    }
    error ??= run.unhandled
    this.#finish(run, error === null ? 'returned' : 'threw', error)
  }

  /** Called at the deadline. A waiting run ends here. One that runs ends by the timeout of its entry, or loses its isolate. */
  #overdue(run: Run): void {
    if (run.entries === 0) this.#finish(run, 'timeout')
    else setTimeout(() => this.#running.has(run.message.run) && run.guest.dispose(), 50)
  }

  #finish(run: Run, how: EndMessage['how'], error: RunError | null = null): void {
    const { message, guest } = run
    if (!this.#running.delete(message.run)) return
    clearTimeout(run.deadline)
    const end = run.end
    const cpuMs = cpuMsOf(run)
    const endedByItself = how === 'returned' || how === 'threw'
    guest.shortRuns = this.#directEntries.isShort(cpuMs) ? guest.shortRuns + 1 : 0
    const kept = endedByItself && isClean(run) && this.#keep(message, guest, cpuMs)
    if (!kept) guest.dispose()
    if (this.#spare === undefined) this.#replenish()
    this.#send({
      type: 'end',
      run: message.run,
      how,
      error,
      log: run.log,
      ...(run.marks === undefined ? {} : { marks: run.marks }),
      clock: run.clock.moments,
      durationMs: performance.now() - run.startedAt,
      ...(run.wait.ms() === 0 ? {} : { waitedMs: run.wait.ms() }),
      cpuMs,
      kept,
      ...(end?.storage === undefined ? {} : { storage: end.storage }),
      ...(end?.oversizeBytes === undefined ? {} : { oversizeBytes: end.oversizeBytes }),
    })
  }

  /** Keeps the isolate for the next run of the strategy, unless its runs are used up. Drops the least recently used ones over the limit. */
  #keep({ strategy }: { strategy: number }, guest: GuestIsolate, cpuMs: number): boolean {
    const { runsPerIsolate, warmIsolates } = this.#options
    if (guest.runs >= runsPerIsolate || warmIsolates === 0 || this.#warm.has(strategy)) return false
    if (cpuMs > measuredFromMs || guest.runs % measuredEach === 1) guest.measure()
    this.#warm.set(strategy, guest)
    this.#warmBytes += guest.bytes
    // The memory of an idle isolate is mostly garbage, which V8 collects only when it needs the space.
    while (this.#warm.size > warmIsolates || this.#warmBytes > warmIsolates * warmBytesEach) {
      this.forget(this.#warm.keys().next().value!)
    }
    return this.#warm.has(strategy)
  }

  #posted(guest: GuestIsolate, id: number, kind: number, text: string): void {
    const run = this.#running.get(id)
    if (run === undefined || run.guest !== guest || run.end !== null) return
    switch (kind) {
      case guestKinds.log:
        if (run.log.length + text.length > logByteLimit + logCutMark.length + 1) return
        run.log += text
        if (run.timedLines === timedLinesPerRun) return
        run.timedLines += 1
        mark(run, text.length)
        return
      case guestKinds.call: {
        const call = { ...(JSON.parse(text) as CallMessage), type: 'call', run: id } as const
        run.wait.called(call.call, call.name)
        mark(run, callMark)
        this.#send(call)
        return
      }
      case guestKinds.returned:
        run.end = { error: null, isSyntax: false, ...(text === '' ? {} : { storage: text }) }
        return
      case guestKinds.end:
        run.end = JSON.parse(text) as GuestEnd
    }
  }
}

function mark(run: Run, what: number): void {
  run.marks ??= []
  run.marks.push(Math.round((performance.now() - run.startedAt) * 100) / 100, what)
}

/** The processor time of a run. A disposed isolate does not report it; then it is the duration of the run, the maximum. */
function cpuMsOf({ guest, cpuBefore, startedAt }: Run): number {
  if (guest.isolate.isDisposed) return performance.now() - startedAt
  return Number(guest.isolate.cpuTime - cpuBefore) / 1e6
}

/** Whether a run left nothing behind: no pending host call, no broken rule, no unhandled rejection. */
function isClean({ end, wait, unhandled, guest }: Run): boolean {
  if (end === null || end.isSyntax || end.oversizeBytes !== undefined) return false
  return wait.open === 0 && unhandled === null && !guest.isolate.isDisposed
}
