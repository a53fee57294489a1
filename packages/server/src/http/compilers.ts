import { SerializerSelector } from '@fastify/fast-json-stringify-compiler'
import { Ajv, type ErrorObject, type ValidateFunction } from 'ajv'
import addFormats from 'ajv-formats'
import type { FastifySchemaCompiler, FastifyServerOptions } from 'fastify'
import { ErrorLister } from './list-errors.ts'
import { plainNumbersOnly } from './plain-numbers.ts'

/**
 * Without `allErrors`: the first error ends the work. Limits of size are checked before the values that they limit.
 * `verbose` gives each error its schema, which has the names of the known fields.
 */
const common = {
  allErrors: false,
  useDefaults: true,
  removeAdditional: false,
  strict: false,
  verbose: true,
} as const

/** Parts of an address are text, so that numbers in them must be read; a JSON body says what it means. */
const addressAjv = new Ajv({ ...common, coerceTypes: true })
const bodyAjv = new Ajv({ ...common, coerceTypes: false })
addFormats.default(addressAjv)
addFormats.default(bodyAjv)

const bodyErrors = new ErrorLister(bodyAjv)
const addressErrors = new ErrorLister(addressAjv)

/**
 * Compiles at the first request: a start has hundreds of schemas, and most of them wait long for their first value.
 * That they can be compiled, and have limits, is known from the tests and from `limits.ts`.
 */
const compile: FastifySchemaCompiler<object> = ({ schema, httpPart }) => {
  const [ajv, lister] = httpPart === 'body' ? [bodyAjv, bodyErrors] : [addressAjv, addressErrors]
  let isValid: ValidateFunction | undefined
  const validate = (value: unknown): boolean => {
    isValid ??= ajv.compile(schema)
    if (isValid(value)) return true
    // Empty never: where the list misses something, the first error is still known.
    const listed = lister.list(schema, value)
    validate.errors = listed.length > 0 ? listed : (isValid.errors ?? null)
    return false
  }
  validate.errors = null as ErrorObject[] | null
  return httpPart === 'params' ? plainNumbersOnly(validate) : validate
}

const serializerFactory = SerializerSelector()

/** Likewise; and equal schemas are compiled once, because most routes answer the same errors. */
const buildSerializer: typeof serializerFactory = (externalSchemas, options) => {
  const compile = serializerFactory(externalSchemas, options)
  const compiled = new Map<string, ReturnType<typeof compile>>()
  return (route) => {
    let serialize: ReturnType<typeof compile> | undefined
    return (value) => {
      serialize ??= compileOnce(route)
      return serialize(value)
    }
  }

  function compileOnce(route: Parameters<typeof compile>[0]): ReturnType<typeof compile> {
    const key = JSON.stringify(route.schema)
    const known = compiled.get(key) ?? compile(route)
    compiled.set(key, known)
    return known
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
