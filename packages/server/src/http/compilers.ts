import { SerializerSelector } from '@fastify/fast-json-stringify-compiler'
import { Ajv, type ErrorObject, type ValidateFunction } from 'ajv'
import addFormats from 'ajv-formats'
import type { FastifySchemaCompiler, FastifyServerOptions } from 'fastify'
import { ErrorLister } from './list-errors.ts'
import { plainNumbersOnly } from './plain-numbers.ts'

/** Without `allErrors`: the first error is where the work ends. Limits of size are checked before what they limit. */
const common = { allErrors: false, useDefaults: true, removeAdditional: false, strict: false } as const

/** Parts of an address are text, so that numbers in them must be read; a JSON body says what it means. */
const addressAjv = new Ajv({ ...common, coerceTypes: true })
const bodyAjv = new Ajv({ ...common, coerceTypes: false })
addFormats.default(addressAjv)
addFormats.default(bodyAjv)

const bodyErrors = new ErrorLister(bodyAjv)
const addressErrors = new ErrorLister(addressAjv)

/** Every route that changes something takes the same header, and to compile a schema takes most of a millisecond. */
const compiledHeaders = new Map<string, ValidateFunction>()

const compile: FastifySchemaCompiler<object> = ({ schema, httpPart }) => {
  if (httpPart === 'headers') return compileHeaders(schema)
  const [ajv, lister] = httpPart === 'body' ? [bodyAjv, bodyErrors] : [addressAjv, addressErrors]
  const isValid = ajv.compile(schema)
  const validate = (value: unknown): boolean => {
    if (isValid(value)) return true
    // Empty never: where the list misses something, the first error is still known.
    const listed = lister.list(schema, value)
    validate.errors = listed.length > 0 ? listed : (isValid.errors ?? null)
    return false
  }
  validate.errors = null as ErrorObject[] | null
  return httpPart === 'params' ? plainNumbersOnly(validate) : validate
}

function compileHeaders(schema: object): ValidateFunction {
  const key = JSON.stringify(schema)
  const validate = compiledHeaders.get(key) ?? addressAjv.compile(schema)
  compiledHeaders.set(key, validate)
  return validate
}

const serializerFactory = SerializerSelector()

/** Most routes answer the same errors, so equal schemas are compiled once: it is a third of the time of a start. */
const buildSerializer: typeof serializerFactory = (externalSchemas, options) => {
  const compile = serializerFactory(externalSchemas, options)
  const compiled = new Map<string, ReturnType<typeof compile>>()
  return (route) => {
    const key = JSON.stringify(route.schema)
    const serialize = compiled.get(key) ?? compile(route)
    compiled.set(key, serialize)
    return serialize
  }
}

type CompilersFactory = NonNullable<FastifyServerOptions['schemaController']>['compilersFactory']

/**
 * What Fastify asks for a compiler, once a scope: `setValidatorCompiler` would be undone without a word by a
 * scope that has a schema of its own.
 */
export const compilersFactory = {
  buildValidator: () => compile,
  buildSerializer,
} as unknown as NonNullable<CompilersFactory>
