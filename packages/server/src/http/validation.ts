import { Ajv } from 'ajv'
import addFormats from 'ajv-formats'
import type { FastifySchemaCompiler } from 'fastify'

const common = { allErrors: true, useDefaults: true, removeAdditional: false, strict: false } as const

/** Parts of an address are text, so that numbers in them must be read; a JSON body says what it means. */
const addressAjv = new Ajv({ ...common, coerceTypes: true })
const bodyAjv = new Ajv({ ...common, coerceTypes: false })
addFormats.default(addressAjv)
addFormats.default(bodyAjv)

export const compileValidator: FastifySchemaCompiler<object> = ({ schema, httpPart }) =>
  (httpPart === 'body' ? bodyAjv : addressAjv).compile(schema)
