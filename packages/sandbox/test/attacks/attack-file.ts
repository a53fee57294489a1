/** Reads the programs of `../../attacks`. Its README says how to write one. */

import { readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import type { ViolationRule } from '../../src/index.ts'

/** A way for a run to end: its status, and the error or rule. */
export type Ending =
  | { status: 'completed' }
  /** `message` is the start of the message. */
  | { status: 'failed'; name: string; message: string }
  | { status: 'violation'; rule: ViolationRule }

export type Attack = {
  /** `family/technique`. */
  name: string
  /** The first sentence of its comment, which says what it tries. */
  title: string
  /** The unchanged program: everything after the comment. */
  code: string
  /** The allowed ways to end. */
  ends: Ending[]
  /** The whole log, if the program declares it. */
  log: string | undefined
  /** How many actions one run requests from the host. */
  actions: number
  /** Whether it may kill its executor, because there is no other way to end it. */
  kills: boolean
  /** Whether nothing may precede the program, so that its isolate cannot be probed from within. */
  whole: boolean
}

const folder = fileURLToPath(new URL('../../attacks', import.meta.url))

/** All attacks, sorted by name. Throws for a file whose comment does not declare how it ends. */
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
