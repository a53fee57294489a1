/** One isolate with one hardened context: belongs to one strategy from its first run on. */

import type * as IsolatedVm from 'isolated-vm'
import {
  actionIdLimit,
  callsAtOnce,
  callsPerRun,
  errorMessageLimit,
  errorNameLimit,
  logByteLimit,
  logCutMark,
  storageByteLimit,
} from '../limits.ts'
import type { OpenMessage } from '../messages.ts'
import type { Ivm } from './ivm.ts'

/** What a guest may post: a line of its log, a host call, its end. */
export const guestKinds = { log: 1, call: 2, end: 3 } as const

/** Lines that V8's function text and `"use strict"` put above the first line of the user's code. */
const headLines = 3

const constantsJson = JSON.stringify({
  kinds: guestKinds,
  actionNames: ['LONG', 'SHORT', 'EXIT'],
  exchangeNames: ['BINANCE', 'GATEIO', 'BITGET', 'HYPERLIQUID', 'KRAKEN'],
  storageByteLimit,
  logByteLimit,
  logCutMark,
  callsAtOnce,
  callsPerRun,
  messageLimit: errorMessageLimit,
  nameLimit: errorNameLimit,
  actionIdLimit,
  headLines,
})

/** Receives what guests post. Posted messages arrive before the entry that posted them is reported as settled. */
export type GuestListener = (run: number, kind: number, text: string) => void

/** Makes isolates, all alike, from a snapshot that holds the indicator library. */
export class IsolateFactory {
  readonly #ivm: Ivm
  readonly #memoryLimitMb: number
  readonly #snapshot: IsolatedVm.ExternalCopy<ArrayBuffer>
  readonly #scripts: OpenMessage['scripts']
  readonly #send: IsolatedVm.Callback

  constructor(ivm: Ivm, options: OpenMessage, listener: GuestListener) {
    this.#ivm = ivm
    this.#memoryLimitMb = options.memoryLimitMb
    this.#scripts = options.scripts
    this.#snapshot = ivm.Isolate.createSnapshot([
      { code: options.scripts.indicators, filename: 'trading-signals' },
    ])
    // `ignored`: the guest's call returns at once. A callback that answers would pause the script's timeout.
    this.#send = new ivm.Callback(
      (run: unknown, kind: unknown, text: unknown) => {
        if (typeof run === 'number' && typeof kind === 'number' && typeof text === 'string')
          listener(run, kind, text)
      },
      { ignored: true },
    )
  }

  async make(): Promise<GuestIsolate> {
    const isolate = new this.#ivm.Isolate({ memoryLimit: this.#memoryLimitMb, snapshot: this.#snapshot })
    const context = await isolate.createContext()
    const asReference = { reference: true } as const
    const evaluate = (code: string) => context.eval(code, { filename: 'tickwright', ...asReference })
    const [boot, harden] = await Promise.all([
      evaluate(this.#scripts.runtime),
      evaluate(this.#scripts.harden),
    ])
    const booted = await boot.apply(undefined, [this.#send, constantsJson], { result: asReference })
    const runtime = booted as IsolatedVm.Reference<GuestRuntime>
    const [start, deliver, shared] = await Promise.all([
      runtime.get('start', asReference),
      runtime.get('deliver', asReference),
      runtime.get('shared', asReference),
    ])
    await harden.apply(undefined, [shared.derefInto()])
    for (const reference of [boot, harden, runtime, shared]) reference.release()
    return new GuestIsolate(isolate, start, deliver)
  }
}

/** What `guest/runtime.js` returns. */
type GuestRuntime = { start: GuestCall; deliver: GuestCall; shared: object }

type GuestCall = (...args: (string | number | boolean | undefined)[]) => undefined
type GuestFunction = IsolatedVm.Reference<GuestCall>

export class GuestIsolate {
  readonly isolate: IsolatedVm.Isolate
  readonly #start: GuestFunction
  readonly #deliver: GuestFunction
  /** Which text is compiled in it: 0 before the first run. */
  codeId = 0
  runs = 0

  constructor(isolate: IsolatedVm.Isolate, start: GuestFunction, deliver: GuestFunction) {
    this.isolate = isolate
    this.#start = start
    this.#deliver = deliver
  }

  /**
   * Each entry returns when the guest's microtasks have run dry: from then on only a delivered reply can make it
   * go on. Rejects when the timeout struck, the isolate died, or a promise was rejected that nobody handled.
   */
  start(run: number, input: string, code: string | undefined, timeoutMs: number): Promise<unknown> {
    this.runs += 1
    return this.#start.apply(undefined, [run, input, code], { timeout: timeoutMs })
  }

  deliver(run: number, call: number, ok: boolean, valueJson: string, timeoutMs: number): Promise<unknown> {
    return this.#deliver.apply(undefined, [run, call, ok, valueJson], { timeout: timeoutMs })
  }

  /** Where V8 finds the code's syntax error, in the user's lines; `null` where the code only fails as a whole. */
  async locateSyntaxError(code: string): Promise<{ line: number; column: number } | null> {
    // Compiled to be located, never run: as a script such a wrapper could be closed from within.
    const wrapped = `(async function ($) {"use strict";\n${code}\n})`
    try {
      const script = await this.isolate.compileScript(wrapped, { filename: 'strategy', lineOffset: -1 })
      script.release()
      return null
    } catch (error) {
      const place = /\[strategy:(\d+):(\d+)\]$/.exec(error instanceof Error ? error.message : '')
      if (place === null) return null
      const [line, column] = [Number(place[1]), Number(place[2])]
      const lines = code.split(/\r\n|[\n\r\u2028\u2029]/)
      // Code that breaks off is noticed after its end, in the wrapper's last line.
      if (line > lines.length) return { line: lines.length, column: lines.at(-1)!.length + 1 }
      return line < 1 ? null : { line, column }
    }
  }

  dispose(): void {
    if (!this.isolate.isDisposed) this.isolate.dispose()
  }
}
