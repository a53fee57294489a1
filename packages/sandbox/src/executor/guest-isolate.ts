/** One isolate with one hardened context. From its first run on, it belongs to one strategy. */

import type * as IsolatedVm from 'isolated-vm'
import type { OpenMessage, ReplyMessage, RunMessage, SeriesEvent } from '../messages.ts'
import { guestEntries } from './guest/kinds.ts'
import type { GuestAnswer } from './held-candles.ts'
import type { Ivm } from './ivm.ts'
import { warmUpScript } from './warm-up.ts'

/** Receives the messages of guests. They arrive before the entry that sent them settles. */
export type GuestListener = (guest: GuestIsolate, run: number, kind: number, text: string) => void

/** Makes identical isolates from a snapshot with the libraries, the runtime, and all hardening that a snapshot can hold. */
export class IsolateFactory {
  readonly #ivm: Ivm
  readonly #memoryLimitMb: number
  readonly #snapshot: IsolatedVm.ExternalCopy<ArrayBuffer>
  readonly #apiBaseUrl: string | null
  readonly #listener: GuestListener

  constructor(ivm: Ivm, options: OpenMessage, listener: GuestListener) {
    const { scripts } = options
    this.#ivm = ivm
    this.#memoryLimitMb = options.memoryLimitMb
    this.#apiBaseUrl = options.apiBaseUrl
    this.#snapshot = ivm.Isolate.createSnapshot(
      [
        { code: strict(scripts.indicators), filename: 'trading-signals' },
        { code: strict(scripts.client), filename: 'api-client' },
        { code: strict(`globalThis.boot = ${scripts.runtime}`), filename: 'tickwright' },
        { code: strict(scripts.harden), filename: 'tickwright' },
      ],
      warmUpScript,
    )
    this.#listener = listener
  }

  async make(): Promise<GuestIsolate> {
    const isolate = new this.#ivm.Isolate({ memoryLimit: this.#memoryLimitMb, snapshot: this.#snapshot })
    const context = await isolate.createContext()
    let guest: GuestIsolate | undefined
    // One callback for each isolate, so that its messages cannot be taken for those of another. `ignored`: the call of
    // the guest returns at once. A callback with an answer would pause the timeout of the script.
    const send = new this.#ivm.Callback(
      (run: unknown, kind: unknown, text: unknown) => {
        if (guest === undefined) return
        if (typeof run === 'number' && typeof kind === 'number' && typeof text === 'string')
          this.#listener(guest, run, kind, text)
      },
      { ignored: true },
    )
    const enter = await context.evalClosure(openScript, [send, this.#apiBaseUrl], {
      filename: 'tickwright',
      result: { reference: true },
    })
    guest = new GuestIsolate(isolate, enter as GuestFunction)
    return guest
  }
}

/** All scripts are strict: a function that is not strict reveals itself in call sites, and reveals its callers. */
function strict(script: string): string {
  return `'use strict';${script}`
}

/** One round trip prepares a context of the snapshot. The function that it returns is the only way into it. */
const openScript = strict(`
  const { boot, harden } = globalThis
  const { start, deliver, next } = boot($0, $1)
  const entries = [start, deliver, next]
  harden()
  return (entry, ...values) => entries[entry](...values)`)

type GuestFunction = IsolatedVm.Reference<
  (
    entry: number,
    ...values: (string | number | boolean | IsolatedVm.Copy<ArrayBuffer> | null | undefined)[]
  ) => unknown
>

export class GuestIsolate {
  readonly isolate: IsolatedVm.Isolate
  readonly #enter: GuestFunction
  /** The id of the code that is compiled in it; 0 before the first run. */
  codeId = 0
  /** Its memory in bytes when it was last measured. */
  bytes = 0
  runs = 0
  /** Its latest runs in a row that were short. */
  shortRuns = 0

  constructor(isolate: IsolatedVm.Isolate, enter: GuestFunction) {
    this.isolate = isolate
    this.#enter = enter
  }

  /**
   * Each entry returns when the guest has no more microtasks. Then only the delivery of a reply can continue it.
   * Rejects on a timeout, if the isolate died, or if the guest left a rejected promise unhandled.
   */
  start(
    { run, input, seed }: RunMessage,
    code: string | undefined,
    startMs: number,
    timeoutMs: number,
  ): Promise<unknown> {
    this.runs += 1
    return this.#enter.apply(undefined, [guestEntries.start, run, input, code, false, startMs, seed], {
      timeout: timeoutMs,
    })
  }

  /**
   * Does the whole entry before it returns, on the thread of the caller: that spares two threads from waking up. Returns
   * what the guest has posted, as kinds and texts in turn. Throws where `start` rejects; then nothing has left the guest.
   */
  startDirectly({ run, input, seed }: RunMessage, startMs: number, timeoutMs: number): unknown {
    this.runs += 1
    return this.#enter.applySync(
      undefined,
      [guestEntries.start, run, input, undefined, true, startMs, seed],
      {
        timeout: timeoutMs,
        result: { copy: true },
      },
    )
  }

  /**
   * The same for a run of a series. `shared` and `code` are for its first run: the input as JSON, and the code unless it is
   * compiled already.
   */
  startNext(
    run: number,
    seed: number,
    [startMs, data, price, sender]: SeriesEvent,
    { shared, code }: { shared?: string; code?: string | undefined },
    timeoutMs: number,
  ): unknown {
    this.runs += 1
    return this.#enter.applySync(
      undefined,
      [guestEntries.next, run, startMs, seed, data, price, sender, shared, code],
      { timeout: timeoutMs, result: { copy: true } },
    )
  }

  deliver(
    { run, call, ok }: ReplyMessage,
    answer: GuestAnswer,
    nowMs: number,
    timeoutMs: number,
  ): Promise<unknown> {
    const passed = typeof answer === 'string' ? answer : answer.copyInto()
    return this.#enter.apply(undefined, [guestEntries.deliver, run, call, ok, passed, nowMs], {
      timeout: timeoutMs,
    })
  }

  /** The place of a syntax error in the user's code; `null` if V8 names no place in it. */
  async locateSyntaxError(code: string): Promise<{ line: number; column: number } | null> {
    // This is only compiled, never run: code could close such a wrapper from within.
    const wrapped = `(async function ($) {"use strict";\n${code}\n})`
    try {
      const script = await this.isolate.compileScript(wrapped, {
        filename: 'strategy',
        lineOffset: -1,
      })
      script.release()
      return null
    } catch (error) {
      const place = /\[strategy:(\d+):(\d+)\]$/.exec(error instanceof Error ? error.message : '')
      if (place === null) return null
      const [line, column] = [Number(place[1]), Number(place[2])]
      const lines = code.split(/\r\n|[\n\r\u2028\u2029]/)
      // If the code ends too early, V8 notices it after the code, in the last line of the wrapper.
      if (line > lines.length) return { line: lines.length, column: lines.at(-1)!.length + 1 }
      return line < 1 ? null : { line, column }
    }
  }

  measure(): void {
    const { total_heap_size, externally_allocated_size } = this.isolate.getHeapStatisticsSync()
    this.bytes = total_heap_size + externally_allocated_size
  }

  dispose(): void {
    if (!this.isolate.isDisposed) this.isolate.dispose()
  }
}
