/** The types of `$` for editors, from a worker that all editors of a page share. */

import type { Mark, Meaning, Suggestions, Types } from '../editor-types.ts'
import type { Asked, Described, Question, Told } from './messages.ts'

/** The path of the worker, which the build puts in. */
declare const TYPES_WORKER: string

/** An answer takes milliseconds. A worker that says nothing for longer has met code that no editor should wait for. */
const patienceMs = 15_000

type Waiting = { resolve: (result: never) => void; reject: (error: Error) => void }

let types: Types | null = null
let started: Promise<void> | undefined

/** The types, once they are there. Where they cannot be loaded, they never are, and editors do without them. */
export function knownTypes(): Types | null {
  return types
}

/** Loads the types when the page has nothing else to do. Resolves when they are there, or when they failed. */
export function loadTypes(): Promise<void> {
  started ??= idle().then(start)
  return started
}

/** Safari has no such callback. */
function idle(): Promise<void> {
  return new Promise((resolve) => {
    if ('requestIdleCallback' in globalThis) requestIdleCallback(() => resolve(), { timeout: 3000 })
    else setTimeout(resolve, 500)
  })
}

function start(): Promise<void> {
  return new Promise((resolve) => {
    let worker: Worker
    try {
      worker = new Worker(scriptUrl() as string)
    } catch {
      return resolve()
    }
    const waiting = new Map<number, Waiting>()
    let silence: ReturnType<typeof setTimeout> | undefined
    const end = () => {
      clearTimeout(silence)
      types = null
      worker.terminate()
      for (const { reject } of waiting.values()) reject(new Error('The types are not available.'))
      waiting.clear()
      resolve()
    }
    worker.onerror = end
    worker.onmessage = ({ data }: MessageEvent<Told>) => {
      if ('ready' in data) {
        types = typesFrom((question) => {
          // Further questions must not hide that the worker is stuck at an earlier one.
          if (waiting.size === 0) silence = setTimeout(end, patienceMs)
          return ask(worker, waiting, question)
        })
        return resolve()
      }
      const one = waiting.get(data.id)
      waiting.delete(data.id)
      clearTimeout(silence)
      if (waiting.size > 0) silence = setTimeout(end, patienceMs)
      if ('failure' in data) one?.reject(new Error(data.failure))
      else one?.resolve(data.result as never)
    }
  })
}

let lastId = 0

function ask<Result>(worker: Worker, waiting: Map<number, Waiting>, question: Question): Promise<Result> {
  lastId += 1
  const id = lastId
  return new Promise<Result>((resolve, reject) => {
    waiting.set(id, { resolve, reject })
    worker.postMessage({ id, question } satisfies Asked)
  })
}

function typesFrom(ask: <Result>(question: Question) => Promise<Result>): Types {
  return {
    suggest: (code, offset) => ask<Suggestions | null>({ about: 'names', code, offset }),
    describe: (code, offset, name) => ask<Described | null>({ about: 'name', code, offset, name }),
    explain: (code, offset) => ask<Meaning | null>({ about: 'meaning', code, offset }),
    check: (code) => ask<readonly Mark[]>({ about: 'errors', code }),
  }
}

type Policies = {
  createPolicy(
    name: string,
    rules: { createScriptURL: (url: string) => string },
  ): {
    createScriptURL(url: string): unknown
  }
}

/** The policy of the pages lets scripts start only with an address that this one rule has let through. */
function scriptUrl(): unknown {
  const { trustedTypes } = globalThis as { trustedTypes?: Policies }
  if (trustedTypes === undefined) return TYPES_WORKER
  const policy = trustedTypes.createPolicy('tickwright-types', {
    createScriptURL: (url) => {
      if (url !== TYPES_WORKER) throw new TypeError('No other script may start.')
      return url
    },
  })
  return policy.createScriptURL(TYPES_WORKER)
}
