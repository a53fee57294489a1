/** One isolate with one hardened context: belongs to one strategy from its first run on. */

import type * as IsolatedVm from 'isolated-vm'
import type { OpenMessage } from '../messages.ts'
import type { Ivm } from './ivm.ts'
import { warmUpScript } from './warm-up.ts'

/** Receives what guests post. Posted messages arrive before the entry that posted them is reported as settled. */
export type GuestListener = (guest: GuestIsolate, run: number, kind: number, text: string) => void

/** Makes isolates, all alike, from a snapshot that holds the libraries, the runtime, and whatever can be hardened. */
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
    // One for each isolate, so that nothing it says is taken for another's. `ignored`: the guest's call returns at
    // once. A callback that answers would pause the script's timeout.
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

/** Call sites tell code of a function that is not strict, and such a function tells of its callers. */
function strict(script: string): string {
  return `'use strict';${script}`
}

/** One round trip makes a context of the snapshot ready, and one function is the only way in. */
const openScript = strict(`
  const { boot, harden } = globalThis
  const { start, deliver } = boot($0, $1)
  harden()
  return (isReply, ...values) => (isReply ? deliver(...values) : start(...values))`)

type GuestFunction = IsolatedVm.Reference<
  (isReply: boolean, ...values: (string | number | boolean | undefined)[]) => undefined
>

export class GuestIsolate {
  readonly isolate: IsolatedVm.Isolate
  readonly #enter: GuestFunction
  /** Which text is compiled in it: 0 before the first run. */
  codeId = 0
  /** Bytes that it held when it was last put aside. */
  bytes = 0
  runs = 0

  constructor(isolate: IsolatedVm.Isolate, enter: GuestFunction) {
    this.isolate = isolate
    this.#enter = enter
  }

  /**
   * Each entry returns when the guest's microtasks have run dry: from then on only a delivered reply can make it
   * go on. Rejects when the timeout struck, the isolate died, or a promise was rejected that nobody handled.
   */
  start(run: number, input: string, code: string | undefined, timeoutMs: number): Promise<unknown> {
    this.runs += 1
    return this.#enter.apply(undefined, [false, run, input, code], {
      timeout: timeoutMs,
    })
  }

  deliver(run: number, call: number, ok: boolean, valueJson: string, timeoutMs: number): Promise<unknown> {
    return this.#enter.apply(undefined, [true, run, call, ok, valueJson], {
      timeout: timeoutMs,
    })
  }

  /** Where V8 finds the code's syntax error, in the user's lines; `null` where the code only fails as a whole. */
  async locateSyntaxError(code: string): Promise<{ line: number; column: number } | null> {
    // Compiled to be located, never run: as a script such a wrapper could be closed from within.
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
      // Code that breaks off is noticed after its end, in the wrapper's last line.
      if (line > lines.length) return { line: lines.length, column: lines.at(-1)!.length + 1 }
      return line < 1 ? null : { line, column }
    }
  }

  dispose(): void {
    if (!this.isolate.isDisposed) this.isolate.dispose()
  }
}
