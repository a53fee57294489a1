/** Reads the programs of `../../attacks`; its README says how one is written. */

import { readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import type { ViolationRule } from '../../src/index.ts'

/** A way for a run to end: status, and what is known of the error or the rule. */
export type Ending =
  | { status: 'completed' }
  /** `message` is how it begins. */
  | { status: 'failed'; name: string; message: string }
  | { status: 'violation'; rule: ViolationRule }

export type Attack = {
  /** `family/technique`. */
  name: string
  /** What it tries: the first sentence of its comment. */
  title: string
  /** The program, to the letter: all that follows the comment. */
  code: string
  /** Ways to end that are all right. */
  ends: Ending[]
  /** The whole log, where the program says something that must be so. */
  log: string | undefined
  /** Actions that the host is asked for in one run. */
  actions: number
  /** Whether it may cost its executor its life: no other way is known to end what it does. */
  kills: boolean
  /** Whether nothing may stand before the program, so that its isolate cannot be probed from within. */
  whole: boolean
}

const folder = fileURLToPath(new URL('../../attacks', import.meta.url))

/** All attacks, sorted by name. Throws for a file whose comment does not say what must hold. */
export function readAttacks(): Attack[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.js'))
    .sort()
    .map((path) => readAttack(path.slice(0, -3), readFileSync(`${folder}/${path}`, 'utf8')))
}

function readAttack(name: string, text: string): Attack {
  const parts = /^\/\*\*\n(.*?)\n \*\/\n(.*)$/s.exec(text)
  if (parts === null) throw new Error(`${name}: no comment at the start`)
  const [, comment, code] = parts as unknown as [string, string, string]
  const lines = comment.split('\n').map((line) => line.replace(/^ \* ?/, ''))
  const prose = lines.filter((line) => !line.startsWith('@')).join(' ')
  const tags = lines.filter((line) => line.startsWith('@')).map(readTag)
  const textOf = (tag: string) => tags.find(([known]) => known === tag)?.[1]
  const unknown = tags.find(([tag]) => !['ends', 'log', 'actions', 'kills', 'whole'].includes(tag))
  if (unknown !== undefined) throw new Error(`${name}: unknown tag @${unknown[0]}`)
  if (!prose.includes(' Holds: ')) throw new Error(`${name}: no "Holds:" that says which layer holds it`)
  const ends = textOf('ends')
  if (ends === undefined) throw new Error(`${name}: no @ends`)
  return {
    name,
    title: /^.*?[.:](?= |$)/.exec(prose)?.[0] ?? prose,
    code: code.replace(/\n$/, ''),
    ends: ends.split(' | ').map((end) => readEnding(name, end)),
    log: textOf('log'),
    actions: Number(textOf('actions') ?? 0),
    kills: textOf('kills') !== undefined,
    whole: textOf('whole') !== undefined,
  }
}

function readTag(line: string): [tag: string, value: string] {
  const [, tag, value] = /^@(\w+) ?(.*)$/.exec(line)!
  return [tag!, value!]
}

function readEnding(name: string, text: string): Ending {
  const [, status, what = '', message = ''] = /^(\w+)(?: ([^:]+))?(?:: (.*))?$/.exec(text) ?? []
  if (status === 'completed') return { status }
  if (status === 'failed' && what !== '') return { status, name: what, message }
  if (status === 'violation' && what !== '') return { status, rule: what as ViolationRule }
  throw new Error(`${name}: not an ending: ${text}`)
}
