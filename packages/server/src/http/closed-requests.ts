import type { preValidationHookHandler } from 'fastify'
import { Type } from 'typebox'
import type { App } from './types.ts'
import { isSchema, mapSchema, type Schema } from './walk-schema.ts'

/** The query of a route that has no parameters. */
const noParameters = Type.Object({})

/**
 * Closes the queries and bodies of all routes of `scope`: a field that no schema names is refused. Otherwise a
 * misspelt `max_daily_loss` would be a bot without one. An object stays open if its schema says so
 * (`additionalProperties: true`), or describes its fields by a pattern. Hidden routes stay as they are: they only
 * explain what was wrong with the path.
 *
 * The read-only fields of a record are known, so a client may send back the record that it has read. They are dropped.
 */
export function closeRequests(scope: App): void {
  scope.addHook('onRoute', (route) => {
    if (route.schema?.hide === true) return
    const { body, querystring = noParameters } = route.schema ?? {}
    route.schema = {
      ...route.schema,
      querystring: closed(querystring as Schema),
      ...(body === undefined ? {} : { body: closed(body as Schema) }),
    }
    const readOnly = readOnlyFields(body, route.schema.response)
    if (readOnly.length > 0) route.preValidation = [dropping(readOnly), route.preValidation ?? []].flat()
  })
}

/** The fields of the record that a route answers, except those that its body sets. */
function readOnlyFields(body: unknown, response: unknown): string[] {
  if (!isSchema(body) || !isSchema(body.properties) || !isSchema(response)) return []
  // A body that its own schema closes has none.
  if (body.additionalProperties === false) return []
  const record = response[201] ?? response[200]
  if (!isSchema(record) || !isSchema(record.properties) || record.properties.id === undefined) return []
  const settable = body.properties
  return Object.keys(record.properties).filter((name) => !Object.hasOwn(settable, name))
}

function dropping(names: readonly string[]): preValidationHookHandler {
  return (request, _reply, done) => {
    const { body } = request
    if (isSchema(body)) for (const name of names) delete body[name]
    done()
  }
}

/** A schema that refuses fields that it does not name. */
export function closed(schema: Schema): Schema {
  return mapSchema(schema, (copy, isAlternative) => {
    if (copy.properties === undefined) return copy
    if (!isAlternative) demandOnlyWithoutDefault(copy)
    if (copy.patternProperties === undefined) copy.additionalProperties ??= false
    return copy
  })
}

/** The validator fills in a default, except in alternatives. So nobody has to send a field that has one. */
function demandOnlyWithoutDefault(object: Schema): void {
  const { required, properties } = object as { required?: string[]; properties: Record<string, Schema> }
  if (required === undefined) return
  object.required = required.filter((name) => properties[name]?.default === undefined)
}
