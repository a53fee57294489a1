import { SerializerSelector } from '@fastify/fast-json-stringify-compiler'
import { Ajv, type ErrorObject, type ValidateFunction } from 'ajv'
import addFormats from 'ajv-formats'
import type { FastifySchemaCompiler, FastifyServerOptions } from 'fastify'
import { ErrorLister } from './list-errors.ts'
import { plainNumbersOnly } from './plain-numbers.ts'

/**
 * Ajv would rewrite the code that it generates before V8 reads it. That takes longer than to compile a schema, at the
 * first request of each route, and V8 makes the same of both.
 */
const generated = { optimize: false } as const

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
  code: generated,
} as const

/** Parts of an address are text, so numbers in them have to be converted. A JSON body has types of its own. */
const addressAjv = new Ajv({ ...common, coerceTypes: true })
const bodyAjv = new Ajv({ ...common, coerceTypes: false })
addFormats.default(addressAjv)
addFormats.default(bodyAjv)

const bodyErrors = new ErrorLister(bodyAjv)
const addressErrors = new ErrorLister(addressAjv)

/**
 * Compiles each schema at its first use, because there are hundreds, and most are not needed soon. The tests and
 * `limits.ts` make sure that every schema compiles and has limits.
 */
export const compile: FastifySchemaCompiler<object> = ({ schema, httpPart }) => {
  const [ajv, lister] = httpPart === 'body' ? [bodyAjv, bodyErrors] : [addressAjv, addressErrors]
  let isValid: ValidateFunction | undefined
  const validate = (value: unknown): boolean => {
    isValid ??= ajv.compile(schema)
    if (isValid(value)) return true
    // If the list finds nothing, the first error is still known.
    const listed = lister.list(schema, value)
    validate.errors = listed.length > 0 ? listed : (isValid.errors ?? null)
    return false
  }
  validate.errors = null as ErrorObject[] | null
  return httpPart === 'params' ? plainNumbersOnly(validate) : validate
}

const serializerFactory = SerializerSelector()

/** Compiles at first use too, and equal schemas only once, because most routes have the same error responses. */
const buildSerializer: typeof serializerFactory = (externalSchemas, options) => {
  const compile = serializerFactory(externalSchemas, { ...options, ajv: { code: generated } })
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
 * Fastify asks this for compilers, once per scope. A scope with a schema of its own would silently undo
 * `setValidatorCompiler`.
 */
export const compilersFactory = {
  buildValidator: () => compile,
  buildSerializer,
} as unknown as NonNullable<CompilersFactory>
