import { Session } from 'node:inspector'

type Range = { startOffset: number; endOffset: number; count: number }
type Script = { url: string; functions: { ranges: Range[] }[] }

/**
 * Records which blocks of the project's code have run, with V8's own coverage: no code is instrumented, so TypeScript
 * runs as it does in the service. Start it before the watched code is loaded.
 */
export class Coverage {
  #session = new Session()
  #libraries: readonly string[] = []
  /** By script: for each character whether it has run. */
  #reached = new Map<string, Uint8Array>()

  start(): void {
    this.#session.connect()
    this.#post('Profiler.enable')
    this.#post('Profiler.startPreciseCoverage', { callCount: true, detailed: true })
  }

  /** Forgets everything that was reached. @param libraries dependencies to watch in addition to the project's code */
  reset(libraries: readonly string[]): void {
    this.#libraries = libraries
    this.#reached.clear()
    this.#post('Profiler.takePreciseCoverage')
  }

  /** How many characters of code have run. It takes a millisecond, too long for each input. */
  get size(): number {
    let size = 0
    for (const reached of this.#reached.values()) for (const one of reached) size += one
    return size
  }

  /** Whether new code has run since the last call. @param remember whether that code counts as known from now on */
  hasNew({ remember }: { remember: boolean }): boolean {
    const { result } = this.#post('Profiler.takePreciseCoverage') as { result: Script[] }
    let found = false
    for (const script of result) {
      if (this.#isWatched(script.url) && this.#add(script, remember)) found = true
    }
    return found
  }

  #isWatched(url: string): boolean {
    if (url.includes('/node_modules/')) {
      return this.#libraries.some((name) => url.includes(`/node_modules/${name}/`))
    }
    return url.startsWith('file:') && (url.includes('/packages/') || url.includes('/fuzz/toys/'))
  }

  #add({ url, functions }: Script, remember: boolean): boolean {
    const known = this.#reached.get(url) ?? new Uint8Array()
    const reached = reachedBy(functions)
    if (!reached.some((one, at) => one > (known[at] ?? 0))) return false
    if (remember) {
      const both = new Uint8Array(Math.max(known.length, reached.length))
      both.set(known)
      for (const [at, one] of reached.entries()) if (one === 1) both[at] = 1
      this.#reached.set(url, both)
    }
    return true
  }

  #post(method: string, parameters: object = {}): unknown {
    // The session belongs to this thread, so it answers before `post` returns.
    let answer: unknown
    this.#session.post(method, parameters, (error: Error | null, value: unknown) => {
      if (error !== null) throw error
      answer = value
    })
    return answer
  }
}

/** Ranges are nested, and the inner ones count: a block that did not run inside one that did has a count of 0. */
function reachedBy(functions: Script['functions']): Uint8Array {
  const ranges = functions.flatMap((one) => one.ranges)
  const reached = new Uint8Array(Math.max(0, ...ranges.map(({ endOffset }) => endOffset)))
  for (const { startOffset, endOffset, count } of ranges)
    reached.fill(count > 0 ? 1 : 0, startOffset, endOffset)
  return reached
}
