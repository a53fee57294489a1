import {
  getQuickJS,
  type QuickJSContext,
  type QuickJSHandle,
  type QuickJSWASMModule,
} from 'quickjs-emscripten'
import { guestScript } from './guest.ts'
import type { RunnerInput, RunnerOptions } from './runner.ts'

/** Creates contexts of QuickJS with the indicator library: an interpreter in WebAssembly, in this same process. */
export class QuickJs {
  readonly #module: QuickJSWASMModule
  readonly #options: RunnerOptions

  private constructor(module: QuickJSWASMModule, options: RunnerOptions) {
    this.#module = module
    this.#options = options
  }

  static async open(options: RunnerOptions): Promise<QuickJs> {
    return new QuickJs(await getQuickJS(), options)
  }

  makeContext({ shared }: { shared: boolean }): QuickJsContext {
    const context = this.#module.newContext()
    context.unwrapResult(context.evalCode(this.#options.indicators)).dispose()
    const run = context.unwrapResult(context.evalCode(guestScript({ shared })))
    return new QuickJsContext(context, run, this.#options)
  }
}

export class QuickJsContext {
  readonly #context: QuickJSContext
  readonly #run: QuickJSHandle
  readonly #code: QuickJSHandle
  readonly #act: QuickJSHandle

  constructor(context: QuickJSContext, run: QuickJSHandle, { code, act }: RunnerOptions) {
    this.#context = context
    this.#run = run
    this.#code = context.newString(code)
    this.#act = context.newFunction('act', () => {
      const promise = context.newPromise()
      void act().then(() => {
        promise.resolve(context.undefined)
        promise.dispose()
        context.runtime.executePendingJobs()
      })
      return promise.handle
    })
  }

  async run({ storage, data }: RunnerInput): Promise<string> {
    const context = this.#context
    using storageHandle = context.newString(storage)
    using dataHandle = context.newString(data)
    using promise = context.unwrapResult(
      context.callFunction(this.#run, context.undefined, this.#code, storageHandle, dataHandle, this.#act),
    )
    const settled = context.resolvePromise(promise)
    context.runtime.executePendingJobs()
    using stored = context.unwrapResult(await settled)
    return context.getString(stored)
  }

  dispose(): void {
    for (const handle of [this.#run, this.#code, this.#act]) handle.dispose()
    this.#context.dispose()
  }
}
