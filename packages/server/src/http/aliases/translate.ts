import type { FastifyRequest, preHandlerHookHandler, preValidationHookHandler } from 'fastify'
import { AppError, invalidField } from '../../base/errors.ts'
import { isSchema, type Schema } from '../walk-schema.ts'
import {
  type Facts,
  type Fields,
  type OperationAlias,
  type OtherNames,
  type PathAlias,
  Untranslatable,
} from './alias.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** The name that the sender used for a field of the body, by our name; `undefined` if the sender used ours. */
    sentNames: ReadonlyMap<string, string> | undefined
  }
}

/** What may have to be translated in a body. */
type Translation = {
  /** The fields that are ids. */
  ids: readonly string[]
  formerValues: NonNullable<OperationAlias['formerValues']>
  others: readonly OtherNames[]
  facts: Facts
}

/**
 * Translates a body to our names, before it is validated.
 * @returns `undefined` if there is nothing to translate
 */
export function translating(translation: Translation): preValidationHookHandler | undefined {
  const { ids, formerValues, others } = translation
  if (ids.length + Object.keys(formerValues).length + others.length === 0) return undefined
  return (request, _reply, done) => {
    try {
      // Everything else is refused by the schema.
      if (isFields(request.body)) request.sentNames = translate(request.body, translation)
      done()
    } catch (error) {
      done(error as Error)
    }
  }
}

/** Translates the texts in a path, before they are validated. */
export function translatingPlaces(
  places: NonNullable<OperationAlias['formerPlaces']>,
): preValidationHookHandler {
  return (request, _reply, done) => {
    const params = request.params as Record<string, string>
    for (const [name, read] of Object.entries(places)) params[name] = read(params[name]!, request)
    done()
  }
}

/** Turns the valid body of another path into the one that its route takes. */
export function translatingPath({ read }: NonNullable<PathAlias['body']>): preHandlerHookHandler {
  return (request, _reply, done) => {
    request.body = read(request.body as Fields)
    done()
  }
}

/**
 * Changes `body` to our names. It stays the same object, so that names such as `__proto__` stay plain fields.
 * @returns the sender's names by ours; `undefined` if they are the same
 * @throws {AppError} 400 for a value that nothing corresponds to, and for two names of one field
 */
function translate(
  body: Fields,
  { ids, formerValues, others, facts }: Translation,
): Map<string, string> | undefined {
  for (const name of ids) if (Object.hasOwn(body, name)) body[name] = asId(body[name])
  for (const [name, read] of Object.entries(formerValues)) {
    if (Object.hasOwn(body, name)) body[name] = read(body[name])
  }
  let sent: Map<string, string> | undefined
  for (const { names, read, beside = [] } of others) {
    const used = Object.keys(names).filter((name) => Object.hasOwn(body, name))
    const [first] = used
    if (first === undefined) continue
    const given = Object.fromEntries(used.map((name) => [name, body[name]]))
    const ours = readOrRefuse(() => read(given, { body, facts }))
    for (const name of used) delete body[name]
    for (const [name, value] of Object.entries(ours)) {
      if (Object.hasOwn(body, name) && !beside.includes(name)) throw bothGiven(first, sent?.get(name) ?? name)
      body[name] = value
      sent ??= new Map()
      sent.set(name, first)
    }
  }
  return sent
}

function readOrRefuse(read: () => Fields): Fields {
  try {
    return read()
  } catch (error) {
    if (error instanceof Untranslatable) throw invalidField(error.field, error.message)
    throw error
  }
}

function bothGiven(other: string, name: string): AppError {
  return invalidField(other, `means the same as \`${name}\`; send only one of them`)
}

/** The number that a text is in its plain form. Any other value stays, and is refused by the schema. */
function asId(value: unknown): unknown {
  if (typeof value !== 'string' || !/^[1-9]\d{0,15}$/.test(value)) return value
  const id = Number(value)
  return Number.isSafeInteger(id) ? id : value
}

/** The fields of a body that are ids, by its schema. */
export function idFields(body: Schema | undefined): string[] {
  if (!isSchema(body?.properties)) return []
  return Object.entries(body.properties)
    .filter(([name, schema]) => /(?:^id|_id|Id)$/.test(name) && isSchema(schema) && takesWholeNumbers(schema))
    .map(([name]) => name)
}

function takesWholeNumbers({ type, anyOf }: Schema): boolean {
  return type === 'integer' || (Array.isArray(anyOf) && anyOf.some(takesWholeNumbers))
}

function isFields(body: unknown): body is Fields {
  return typeof body === 'object' && body !== null && !Array.isArray(body)
}

/** The error as the sender of `request` has to read it: with the sender's own names of fields. */
export function inSentNames(error: AppError, { sentNames }: Pick<FastifyRequest, 'sentNames'>): AppError {
  if (sentNames === undefined || error.details === undefined) return error
  let { message } = error
  const details = error.details.map((detail) => {
    const field = inSentName(detail.field, sentNames)
    if (field === undefined) return detail
    message = message.replace(`${detail.field} `, `${field} `)
    return { ...detail, field }
  })
  const { code, retryAfterSeconds } = error
  return new AppError(code, message, {
    details,
    ...(retryAfterSeconds && { retryAfterSeconds }),
    cause: error,
  })
}

/** @returns `undefined` if the sender has used our name */
function inSentName(field: string | undefined, sentNames: ReadonlyMap<string, string>): string | undefined {
  const [part, name, ...inner] = field?.split('.') ?? []
  const sent = part === 'body' && name !== undefined ? sentNames.get(name) : undefined
  return sent === undefined ? undefined : [part, sent, ...inner].join('.')
}
