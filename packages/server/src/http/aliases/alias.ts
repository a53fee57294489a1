/** What a table of other names consists of. */
import type { FastifyRequest } from 'fastify'
import type { Schema } from '../walk-schema.ts'

/** An operation: its method and its path after `/api/v2`, such as `PUT /bot/signal/cex/:id`. */
export type Line = `${'GET' | 'POST' | 'PUT' | 'DELETE'} /${string}`

/** The fields of a body. */
export type Fields = Record<string, unknown>

/** What some translations have to know about this installation. */
export type Facts = {
  /** The credentials that an exchange requires, by our names of the fields; empty for an unknown exchange. */
  credentialsOf(exchangeId: number): readonly string[]
  /** The chain of a DEX; `null` for anything else. */
  chainOf(exchangeId: number): string | null
}

/** A value under another name that nothing corresponds to. The message completes a sentence that begins with the field. */
export class Untranslatable extends Error {
  field: string

  constructor(field: string, message: string) {
    super(message)
    this.field = field
  }
}

/** Other names of fields of a body, which are read together. */
export type OtherNames = {
  /** Each of them, with its schema; `undefined`: that of the field that it means. */
  names: Record<string, Schema | undefined>
  /** Our name of what they mean. */
  means: string
  /** Our fields that a body may give as well: `read` compares them. */
  beside?: readonly string[]
  /**
   * Our fields for those that a body gives.
   * @param given has only fields of `names`, at least one
   * @param around the whole body, in which earlier rows are translated already
   * @throws {Untranslatable}
   */
  read(given: Fields, around: { body: Fields; facts: Facts }): Fields
}

/** How an answer changes on its way out. */
export type AnswerChange = {
  /** The schema of the changed answer, from the one of the original. */
  describe(schema: Schema): Schema
  /** @param answer is an object, which the route may still use: returns another one */
  change(answer: object, request: FastifyRequest): unknown
}

/** What an operation accepts and answers besides what its route says. */
export type OperationAlias = {
  body?: readonly OtherNames[]
  /** What a value of a field meant once, by our name of the field. Any other value stays. */
  formerValues?: Record<string, (value: unknown) => unknown>
  /** The same for the texts in the path. */
  formerPlaces?: Record<string, (text: string, request: FastifyRequest) => string>
  /** The ids in a body that the route reads without a schema. */
  ids?: readonly string[]
  answer?: AnswerChange
}

/** Another path of a route. Its body has a schema of its own, and becomes the route's own body. */
export type PathAlias = {
  /** The route, which has the same method and the same parameters in its path. */
  of: Line
  summary: string
  description: string
  body?: { schema: Schema; read(body: Fields): Fields }
  /** What the query is, where a request leaves it out. */
  query?: Record<string, number | string>
  answer?: AnswerChange
}

/** The other names and paths of the API. */
export type Aliases = {
  operations: Record<Line, OperationAlias>
  paths: Record<Line, PathAlias>
}
