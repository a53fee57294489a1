/** The OpenAPI document of a service, and what an answer may be by it. */
import assert from 'node:assert/strict'
import { Ajv, type ValidateFunction } from 'ajv'
import addFormats from 'ajv-formats'
import type { Reply } from './stranger.ts'

export type Schema = {
  type?: string
  enum?: unknown[]
  const?: unknown
  anyOf?: Schema[]
  properties?: Record<string, Schema>
  required?: string[]
  items?: Schema
  minimum?: number
  minLength?: number
}
type Parameter = { in: string; name: string; required?: boolean; schema: Schema }
export type Operation = {
  /** Method and path, as in the document: `GET /api/v2/run/{id}`. */
  line: string
  method: string
  path: string
  parameters: Parameter[]
  body: Schema | undefined
  isSigned: boolean
  /** Whether it answers that something was made. */
  makes: boolean
}

export type ApiDocument = {
  operations: Operation[]
  /** Fails unless the answer is one that the document tells of. */
  hold(operation: Operation, reply: Reply): void
}

// biome-ignore lint/suspicious/noExplicitAny: an OpenAPI document
export function readDocument(document: any): ApiDocument {
  const ajv = new Ajv({ strict: false, code: { optimize: false }, schemas: { document } })
  addFormats.default(ajv)
  /** Compiling a schema takes much longer than checking an answer, and a walk sees most answers many times. */
  const checks = new Map<string, ValidateFunction>()
  const checkOf = (pointer: string[]) => {
    const escaped = pointer.map((part) =>
      encodeURIComponent(part.replaceAll('~', '~0').replaceAll('/', '~1')),
    )
    return checks.getOrInsertComputed(escaped.join('/'), (path) => ajv.compile({ $ref: `document#/${path}` }))
  }
  const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods as object).map(
      ([method, { parameters = [], requestBody, security, responses }]): Operation => ({
        line: `${method.toUpperCase()} ${path}`,
        method: method.toUpperCase(),
        path,
        parameters,
        body: requestBody?.content['application/json'].schema,
        makes: method === 'post' && '201' in responses,
        isSigned: security?.some((each: object) => 'signature' in each) ?? false,
      }),
    ),
  )
  return {
    operations,
    hold({ line, path, method }, { status, body }) {
      const told = document.paths[path][method.toLowerCase()].responses[status]
      assert.ok(told, `${line} answered ${status}, which is not documented: ${JSON.stringify(body)}`)
      const content = Object.keys(told.content)[0]!
      const answer = ['paths', path, method.toLowerCase(), 'responses', String(status), 'content', content]
      const check = checkOf([...answer, 'schema'])
      assert.ok(check(body), `${line} ${status}: ${ajv.errorsText(check.errors)}: ${JSON.stringify(body)}`)
    },
  }
}

/** Something that a schema takes, with nothing in it that need not be there. */
export function sampleOf(schema: Schema): unknown {
  if (schema.const !== undefined) return schema.const
  if (schema.enum !== undefined) return schema.enum[0]
  if (schema.anyOf !== undefined) return sampleOf(schema.anyOf[0]!)
  if (schema.type === 'object') {
    const required = schema.required ?? []
    return Object.fromEntries(required.map((name) => [name, sampleOf(schema.properties![name]!)]))
  }
  if (schema.type === 'array') return []
  if (schema.type === 'string') return 'x'.repeat(Math.max(schema.minLength ?? 1, 1))
  if (schema.type === 'boolean') return false
  if (schema.type === 'integer' || schema.type === 'number') return schema.minimum ?? 1
  return null
}
