import type { App } from './types.ts'
import { isSchema, mapSchema, type Schema } from './walk-schema.ts'

/** Largest body of an API request, unless its route takes more. */
export const bodyLimit = 64 * 1024
/** Largest body of a request with code: the code has up to 256 KB, and escapes in JSON may triple that. */
export const codeBodyLimit = 1024 * 1024
/** Largest body of a request with a prompt: the prompt has up to 1 MB, and escapes in JSON may triple that. */
export const promptBodyLimit = 3 * 1024 * 1024
/** Largest body of a request without authentication. */
export const guestBodyLimit = 8 * 1024

/** The most fields of an object whose schema does not say. */
const mostProperties = 100

/** The parts of a request that a schema can describe, as Fastify calls them. */
const parts = ['body', 'querystring', 'params', 'headers'] as const

/**
 * Makes sure that the schema of every request limits each array, text, number and object. An object without a limit of
 * its own may have `mostProperties`. The HTTP server limits headers. Anything else without a limit is a mistake in the
 * route, and the service does not start.
 */
export function limitRequests(app: App): void {
  app.addHook('onRoute', (route) => {
    const { schema } = route
    if (schema === undefined) return
    const limited = { ...schema }
    for (const part of parts) {
      const given = schema[part]
      if (given === undefined) continue
      const bounded = boundObjects(given as Schema)
      limited[part] = bounded
      const [first] = unlimitedIn(bounded, part)
      if (first !== undefined) throw new Error(`${route.method} ${route.url}: ${first} has no limit.`)
    }
    route.schema = limited
  })
}

function boundObjects(schema: Schema): Schema {
  return mapSchema(schema, (copy) =>
    copy.type === 'object' ? { ...copy, maxProperties: copy.maxProperties ?? mostProperties } : copy,
  )
}

/** Lists the paths where a schema allows any size. */
export function unlimitedIn(schema: Schema, path: string): string[] {
  if (schema.const !== undefined || schema.enum !== undefined) return []
  const types = [schema.type ?? []].flat()
  const alternatives = ['anyOf', 'oneOf', 'allOf'].flatMap((word) => (schema[word] as Schema[]) ?? [])
  const isAnything = types.length === 0 && alternatives.length === 0
  const is = (type: string) => isAnything || types.includes(type)
  const lacks = (...words: string[]) => words.every((word) => schema[word] === undefined)
  const isUnlimited =
    (is('string') && lacks('maxLength')) ||
    (is('array') && lacks('maxItems')) ||
    (is('object') && lacks('maxProperties')) ||
    ((types.includes('integer') || types.includes('number')) &&
      (lacks('maximum', 'exclusiveMaximum') || lacks('minimum', 'exclusiveMinimum')))
  const fields = { ...(schema.properties as object), ...(schema.patternProperties as object) }
  return [
    ...(isUnlimited ? [path] : []),
    ...alternatives.flatMap((each) => unlimitedIn(each, path)),
    ...Object.entries(fields).flatMap(([name, field]) => unlimitedIn(field as Schema, `${path}.${name}`)),
    ...(isSchema(schema.items) ? unlimitedIn(schema.items, `${path}[]`) : []),
    ...(isSchema(schema.additionalProperties) ? unlimitedIn(schema.additionalProperties, `${path}.*`) : []),
  ]
}
