import { join } from 'node:path'
import type { Context } from '../context.ts'
import { writeText } from './disk.ts'
import { type Kind, kinds, ownFolder, places } from './layout.ts'
import { referenceNames } from './links.ts'

type Schema = Record<string, unknown>

const paths: Record<Kind, string> = {
  'data-webhook': 'webhook/data',
  'bot-webhook': 'webhook/bot',
  'code-strategy': 'strategy/code',
  'code-reaction': 'strategy/reaction/code',
  'llm-reaction': 'strategy/reaction/llm',
  'llm-session': 'strategy/llm-session',
  'signal-bot': 'bot/signal/cex',
}
/** What routes take and files do not. */
const notInFiles = ['status', 'has_key', 'folder_id', 'code', 'prompt', 'reason']

/** Writes the JSON schemas of settings, for editors: those of the API of this service, with references as in files. */
export async function writeSchemas(context: Context, root: string): Promise<void> {
  const { url } = await context.connection()
  const response = await fetch(new URL('/api/v2/openapi.json', url), { signal: AbortSignal.timeout(30_000) })
  if (!response.ok) return
  const document = (await response.json()) as { paths: Record<string, never> }
  for (const kind of kinds) {
    const schema = schemaOf(kind, document)
    if (schema === undefined) continue
    const path = join(root, ownFolder, 'schemas', `${kind}.json`)
    await writeText(path, `${JSON.stringify(schema, null, 1)}\n`)
  }
}

/** @returns `undefined` if the service does not have this kind */
export function schemaOf(kind: Kind, { paths: all }: { paths: Record<string, unknown> }): Schema | undefined {
  const at = all[`/api/v2/${paths[kind]}`] as Record<string, never> | undefined
  const body = (at?.post as Schema | undefined)?.requestBody as Schema | undefined
  const content = (body?.content as Record<string, { schema: Schema }> | undefined)?.['application/json']
  const properties = content?.schema.properties as Record<string, Schema> | undefined
  if (properties === undefined) return undefined
  const { word } = places[kind]
  const settings = Object.entries(properties).filter(([name]) => !notInFiles.includes(name))
  const references = Object.entries(referenceNames)
    .filter(([, field]) => Object.hasOwn(properties, field))
    .map(([name, field]) => [name, referenceSchema(name, properties[field]!)])
  return {
    $schema: 'http://json-schema.org/draft-07/schema#',
    title: kind,
    type: 'object',
    additionalProperties: false,
    ...(word !== undefined && { required: ['kind'] }),
    properties: {
      ...(word !== undefined && { kind: { const: word } }),
      ...Object.fromEntries(settings),
      ...Object.fromEntries(references),
      variables: {
        type: 'array',
        items: { type: 'string' },
        description: 'The environment variables that must exist on the service.',
      },
    },
  }
}

function referenceSchema(name: string, { description }: Schema): Schema {
  if (name === 'may_change')
    return {
      type: 'array',
      items: { type: 'string' },
      description: 'Files of code that the model may change.',
    }
  const what = name === 'connection' || name === 'fallback' ? 'The name of a connection.' : 'A file.'
  return { type: ['string', 'null'], description: [what, description].filter(Boolean).join(' ') }
}
