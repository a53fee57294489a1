import { isDeepStrictEqual } from 'node:util'
import { isMap, parseDocument, stringify } from 'yaml'
import { type Kind, ownFolder, places } from './layout.ts'
import type { Settings } from './project.ts'

/** The settings of a new file. */
export function newSource(kind: Kind, settings: Settings, text: string | undefined): string {
  const { word } = places[kind]
  const variables = variablesIn(text ?? '')
  const all = {
    ...(word !== undefined && { kind: word }),
    ...settings,
    ...(variables.length > 0 && { variables }),
  }
  return `# yaml-language-server: $schema=../${ownFolder}/schemas/${kind}.json\n${stringify(all, { lineWidth: 100 })}`
}

/** A file with other settings. What stays the same, comments too, stays as it is written. */
export function changedSource(source: string, settings: Settings, text: string | undefined): string {
  const document = parseDocument(source, { schema: 'core' })
  const isEmpty = !isMap(document.contents)
  const before: Settings = isEmpty ? {} : document.toJS({ maxAliasCount: 0 })
  if (isEmpty) document.contents = document.createNode({}) as never
  const variables = variablesIn(text ?? '')
  const wanted = { ...settings, ...(variables.length > 0 && { variables }) }
  for (const [name, value] of Object.entries(wanted)) {
    if (!isDeepStrictEqual(before[name], value)) document.set(name, value)
  }
  return document.toString({ lineWidth: 100 })
}

/** The names of the environment variables that code reads, in order. */
export function variablesIn(text: string): string[] {
  const found = text.matchAll(/\$\.Env(?:\.|\[\s*['"`])([A-Za-z_]\w*)/g)
  return [...new Set(Array.from(found, ([, name]) => name!))].sort()
}
