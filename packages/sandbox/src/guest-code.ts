/**
 * The texts that run on the other side: the executor's program and the scripts of an isolate.
 *
 * Executors cannot read TypeScript by themselves: without JIT there is no WebAssembly, which Node's type stripping
 * is made of; and the less they may read, the better. So they are given everything as text.
 */

import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { build, stop } from 'esbuild'
import type { OpenMessage } from './messages.ts'

export type GuestCode = { executor: string; scripts: OpenMessage['scripts'] }

let loaded: Promise<GuestCode> | undefined

/** Bundles once a process; the texts depend on nothing but the installed files. */
export function loadGuestCode(): Promise<GuestCode> {
  // The bundler is a process of its own that would stay for as long as this one.
  loaded ??= bundleAll().finally(stop)
  return loaded
}

async function bundleAll(): Promise<GuestCode> {
  const here = fileURLToPath(new URL('.', import.meta.url))
  const guestScript = (name: string) => readFile(new URL(`executor/guest/${name}`, import.meta.url), 'utf8')
  const [executor, library, prelude, runtime, harden] = await Promise.all([
    bundle({ entryPoints: [`${here}executor/main.ts`], platform: 'node', format: 'cjs' }),
    bundle({
      stdin: { contents: `export * from 'trading-signals'`, resolveDir: here },
      format: 'iife',
      globalName: 'library',
    }),
    guestScript('indicators.js'),
    guestScript('runtime.js'),
    guestScript('harden.js'),
  ])
  // The library is a function's own affair, so that nothing of it becomes a global but its exports.
  const indicators = `(${withoutComment(prelude)})(function (structuredClone, Intl) {${library}\nreturn library})`
  return { executor, scripts: { indicators, runtime, harden } }
}

/** A script is a comment, a semicolon for the formatter's sake, and one parenthesised function. */
function withoutComment(script: string): string {
  return script
    .slice(script.indexOf(';(') + 2)
    .trimEnd()
    .replace(/\)$/, '')
}

async function bundle(options: Parameters<typeof build>[0]): Promise<string> {
  const { outputFiles } = await build({
    ...options,
    bundle: true,
    write: false,
    target: 'node26',
    legalComments: 'none',
    logLevel: 'silent',
  })
  return outputFiles![0]!.text
}
