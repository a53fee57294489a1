import ivm from 'isolated-vm'
import { guestScript } from './guest.ts'
import type { RunnerInput, RunnerOptions } from './runner.ts'

const memoryLimitMb = 64
const timeoutMs = 5_000

/** Isolates of isolated-vm from one snapshot with the indicator library, without containment and protocol. */
export class BareIsolates {
  readonly #options: RunnerOptions
  readonly #snapshot: ivm.ExternalCopy<ArrayBuffer>
  readonly #act: ivm.Reference<() => Promise<void>>

  constructor(options: RunnerOptions) {
    this.#options = options
    this.#snapshot = ivm.Isolate.createSnapshot([{ code: options.indicators }])
    this.#act = new ivm.Reference(options.act)
  }

  makeIsolate(): ivm.Isolate {
    return new ivm.Isolate({ memoryLimit: memoryLimitMb, snapshot: this.#snapshot })
  }

  async makeContext(isolate: ivm.Isolate, { shared }: { shared: boolean }): Promise<BareContext> {
    const context = await isolate.createContext()
    const run = await context.evalClosure(
      `const run = ${guestScript({ shared })}
      const act = () => $0.apply(undefined, [], { result: { promise: true } })
      return (code, storage, data) => run(code, storage, data, act)`,
      [this.#act],
      { result: { reference: true } },
    )
    return new BareContext(context, run, this.#options.code)
  }
}

type Run = ivm.Reference<(code: string, storage: string, data: string) => Promise<string>>

export class BareContext {
  readonly #context: ivm.Context
  readonly #run: Run
  readonly #code: string

  constructor(context: ivm.Context, run: Run, code: string) {
    this.#context = context
    this.#run = run
    this.#code = code
  }

  run({ storage, data }: RunnerInput): Promise<string> {
    return this.#run.apply(undefined, [this.#code, storage, data], {
      result: { promise: true },
      timeout: timeoutMs,
    }) as Promise<string>
  }

  release(): void {
    this.#run.release()
    this.#context.release()
  }
}
