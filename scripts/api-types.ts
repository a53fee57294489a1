/** Generates the client's types from the OpenAPI document: one for each operation, and named types that they share. */

import assert from 'node:assert/strict'

export type Schema = {
  $ref?: string
  type?: string
  enum?: unknown[]
  const?: unknown
  anyOf?: Schema[]
  items?: Schema
  properties?: Record<string, Schema>
  required?: string[]
  additionalProperties?: boolean | Schema
  description?: string
  deprecated?: boolean
}

type Content = { content?: Record<string, { schema: Schema }>; headers?: Record<string, object> }
type Parameter = { in: string; name: string; required?: boolean; description?: string; schema: Schema }
type Operation = {
  summary?: string
  deprecated?: boolean
  security?: object[]
  parameters?: Parameter[]
  requestBody?: Content & { required?: boolean }
  responses: Record<string, Content>
}
export type OpenApi = {
  paths: Record<string, Record<string, Operation>>
  components: { schemas: Record<string, Schema> }
}

/** Resources, each with an operation that answers one or a list of them. */
export type Names = Record<string, string>

/**
 * TypeScript with a type for each name, and `Operations`: the arguments and the answer of each signed operation, by its
 * request line, in which each `{place}` is an argument. Deprecated operations and fields are left out.
 */
export function apiTypes(given: OpenApi, names: Names): string {
  const document = withoutDeprecatedFields(given)
  const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods)
      .filter(([, { deprecated }]) => deprecated !== true)
      .filter(([, { security = [] }]) => security.some((scheme) => 'signature' in scheme))
      .filter(([, operation]) => !isStream(operation))
      .map(([method, operation]) => ({ line: `${method.toUpperCase()} ${path}`, operation })),
  )
  const named = new Map<string, string>()
  const resources = Object.entries(names).map(([name, line]) => {
    const found = operations.find((candidate) => candidate.line === line)
    assert.ok(found, `There is no ${line} to take ${name} from.`)
    const schema = resourceIn(answerOf(found.operation))
    named.set(keyOf(schema), name)
    return { name, schema }
  })
  const write = typeWriter(named)

  const detail = document.components.schemas.Error!.properties!.details!.items!
  const entries = operations.map(({ line, operation }) => {
    const { places, types } = argumentsOf(line, operation, write)
    const answer = `${write.type(answerOf(operation))}${hasTag(operation) ? ' & Tagged' : ''}`
    return `\n${comment(operation.summary)}'${line}${places}': { arguments: [${types}]; answer: ${answer} }`
  })
  const declarations = [
    ...resources.map(({ name, schema }) => declare(name, write.fields(schema))),
    declare(
      'List<Item>',
      'Item[] | { items: Item[]; total: number; total_is_exact?: false; page?: number; limit: number; next?: number | null }',
      'A list; a page of it where `page` or `limit` was given. Pages count from 1. Lists of events have cursors too: the answer to one has `next`, the one to go on with.',
    ),
    declare(
      'ErrorDetail',
      write.fields(detail),
      'One thing that is wrong with a request; what else is in it depends on the code.',
    ),
    declare(
      'Tagged',
      '{ readonly etag: string }',
      'The version of an answer, for `ifMatch`. It is not enumerable, so copies do not have it.',
    ),
    declare(
      'SaveOptions',
      `{\n${comment('Saves only if the settings still have this `etag`; otherwise the service refuses with 409.')}ifMatch?: string | undefined }`,
    ),
    declare('Operations', `{${entries.join('\n')}\n}`, 'What each operation takes and answers.'),
  ]
  return `${declarations.join('\n\n')}\n`
}

function withoutDeprecatedFields<T>(value: T): T {
  return JSON.parse(JSON.stringify(value), (key, part) => {
    if (key !== 'properties' || typeof part !== 'object') return dropRequired(part)
    return Object.fromEntries(Object.entries(part).filter(([, field]) => !(field as Schema).deprecated))
  })
}

/** Only a field that is left can be required. */
function dropRequired(part: Schema | unknown): unknown {
  if (typeof part !== 'object' || part === null) return part
  const { properties, required } = part as Schema
  if (properties === undefined || required === undefined) return part
  return { ...part, required: required.filter((name) => properties[name] !== undefined) }
}

function declare(name: string, type: string, text?: string): string {
  return `${comment(text)}export type ${name} = ${type}`
}

/** The arguments of an operation in the order of their places: those of the path, the query, the body. */
function argumentsOf(line: string, operation: Operation, write: TypeWriter) {
  const { parameters = [], requestBody } = operation
  const types = [...line.matchAll(/\{(\w+)\}/g)].map(([, name]) => {
    const parameter = parameters.find((candidate) => candidate.in === 'path' && candidate.name === name)
    assert.ok(parameter, `${line} does not describe {${name}}.`)
    return `${name}: ${write.type(parameter.schema)}`
  })
  let places = ''
  const query = parameters.filter((parameter) => parameter.in === 'query')
  if (query.length > 0) {
    const fields = query.map(({ name, description, schema }) => [name, { description, ...schema }])
    const required = query.filter((parameter) => parameter.required).map(({ name }) => name)
    const type = write.fields({ properties: Object.fromEntries(fields), required })
    types.push(`query${required.length === 0 ? '?' : ''}: ${type}`)
    places += '?{query}'
  }
  if (requestBody !== undefined) {
    assert.ok(!line.startsWith('GET '), `${line} has a body, which nobody sends.`)
    const schema = requestBody.content!['application/json']!.schema
    types.push(`body${requestBody.required === true ? '' : '?'}: ${write.type(schema)}`)
    places += ' {body}'
  }
  if (parameters.some(({ in: place, name }) => place === 'header' && name === 'if-match')) {
    types.push('options?: SaveOptions')
  }
  return { places, types }
}

type TypeWriter = ReturnType<typeof typeWriter>

function typeWriter(named: Map<string, string>) {
  const type = (schema: Schema): string => named.get(keyOf(schema)) ?? structure(schema)
  const structure = (schema: Schema): string => {
    assert.equal(schema.$ref, undefined, `A reference to ${schema.$ref} cannot be written yet.`)
    const { enum: values, anyOf, items, properties, additionalProperties } = schema
    if (schema.const !== undefined) return literal(schema.const)
    if (values !== undefined) return values.map(literal).join(' | ')
    if (anyOf !== undefined)
      return isList(anyOf) ? `List<${type(anyOf[0]!.items!)}>` : anyOf.map(type).join(' | ')
    if (schema.type === 'array') return `(${type(items ?? {})})[]`
    if (properties !== undefined && Object.keys(properties).length > 0) return fields(schema)
    if (typeof additionalProperties === 'object') return `Record<string, ${type(additionalProperties)}>`
    if (schema.type === 'object') return 'Record<string, unknown>'
    return scalars[schema.type ?? ''] ?? 'unknown'
  }
  const fields = ({ properties = {}, required = [], additionalProperties }: Schema): string => {
    const members = Object.entries(properties).map(([name, schema]) => {
      const isRequired = required.includes(name)
      return `${comment(schema.description)}${name}${isRequired ? '' : '?'}: ${type(schema)}${isRequired ? '' : ' | undefined'}`
    })
    if (additionalProperties === true) members.push('[field: string]: unknown')
    // A comment needs its own line; the formatter does the rest.
    return `{${members[0]?.startsWith('/**') ? '\n' : ' '}${members.join('\n')} }`
  }
  return { type, fields }
}

const scalars: Record<string, string> = {
  string: 'string',
  boolean: 'boolean',
  integer: 'number',
  number: 'number',
  null: 'null',
}

const literal = (value: unknown) => (typeof value === 'string' ? `'${value}'` : String(value))

const comment = (text: string | undefined) =>
  text === undefined ? '' : `/** ${text.replaceAll('*/', '* /')} */\n`

/** Whether the answer never ends: such an operation is no request with one answer. */
function isStream({ responses }: Operation): boolean {
  return responses['200']?.content?.['text/event-stream'] !== undefined
}

/** Whether each successful answer has an `ETag`. */
function hasTag({ responses }: Operation): boolean {
  return Object.entries(responses).every(
    ([status, { headers }]) => !/^2/.test(status) || headers?.ETag !== undefined,
  )
}

/** The schema of an operation's successful answer. */
function answerOf({ responses }: Operation): Schema {
  const success = Object.keys(responses).filter((status) => /^2/.test(status))
  assert.ok(success.length > 0)
  const schemas = success.map((status) => Object.values(responses[status]!.content ?? {})[0]?.schema ?? {})
  const different = [...new Map(schemas.map((schema) => [keyOf(schema), schema])).values()]
  return different.length === 1 ? different[0]! : { anyOf: different }
}

/** Whether the union is a list or a page of it. */
function isList([list, page, ...others]: Schema[]): boolean {
  const items = page?.properties?.items
  return items !== undefined && others.length === 0 && keyOf(items) === keyOf(list!)
}

/** The resource of an answer: itself, or the items of a list or page. */
function resourceIn(answer: Schema): Schema {
  if (answer.anyOf !== undefined) return resourceIn(answer.anyOf[0]!)
  return answer.type === 'array' ? answer.items! : answer
}

/** The same text for schemas of the same shape. */
function keyOf(schema: Schema): string {
  return JSON.stringify(schema, (key, value) =>
    key === 'description' && typeof value === 'string' ? undefined : value,
  )
}
