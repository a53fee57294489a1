import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { MemberTable, Suggestion } from '../src/parts/editor/editor-types.ts'

const declarations = join(import.meta.dirname, '..', '..', 'runtime-types', 'index.d.ts')

/** The members of `$` and of what it has, with their types and documentation, as `runtime-types` declares them. */
export async function memberTable(): Promise<MemberTable> {
  return readMembers(await readFile(declarations, 'utf8'))
}

/** Reads the object types of declarations. They are formatted by a program, so their lines can be relied on. */
export function readMembers(text: string): MemberTable {
  const unions = new Map<string, string[]>()
  for (const [, name, union] of text.matchAll(/^export type (\w+) = ('[^\n{]+')$/gm))
    unions.set(
      name!,
      union!.split('|').map((part) => part.trim().slice(1, -1)),
    )
  const table: MemberTable = {}
  for (const [, name, body] of text.matchAll(/^export type (\w+) = \{\n(.*?)^\}/gms))
    table[name!] = membersIn(body!)
  for (const [, name, union] of text.matchAll(
    /^export type (\w+) = \{ readonly \[Name in (\w+)\]: Name \}$/gm,
  ))
    table[name!] = unions.get(union!)!.map((one) => ({ name: one, kind: 'property', type: `'${one}'` }))
  return table
}

const member =
  /(?: {2}\/\*\*(?<about>.*?)\*\/\n)?(?: {2}\/\/[^\n]*\n)*^ {2}(?:readonly )?(?<name>[\w$]+)\??(?<type>(?:: |\()[^\n]*)\n/gms

function membersIn(body: string): Suggestion[] {
  return [...body.matchAll(member)].map(({ groups }) => {
    const { about, name, type } = groups!
    const isFunction = type!.startsWith('(')
    return {
      name: name!,
      kind: isFunction ? 'function' : 'property',
      type: isFunction ? type! : type!.slice(2),
      ...(about === undefined ? {} : { about: about.replace(/\s*\n\s*\* ?/g, '\n').trim() }),
    }
  })
}
