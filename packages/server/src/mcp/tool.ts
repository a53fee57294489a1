import { type Static, type TObject, type TProperties, Type } from 'typebox'
import type { Agent } from '../base/principal.ts'
import { pageLimit, type ToolResult } from './answers.ts'
import type { Api } from './api.ts'

export type ToolContext = { api: Api; agent: Agent }

export type Tool = {
  name: string
  description: string
  input: TObject
  /** Only for keys that may write. */
  writes: boolean
  /** Only for administrators. */
  forAdministrators: boolean
  /** Whether others may have written in its answers. */
  foreign: boolean
  hints: ToolHints
  run(input: never, context: ToolContext): Promise<ToolResult>
}

/** What MCP calls annotations. Left out are `idempotentHint` where it is false and `openWorldHint` where it is true. */
export type ToolHints = {
  readOnlyHint: boolean
  destructiveHint?: boolean
  idempotentHint?: true
  openWorldHint?: false
}

type Told<P extends TProperties> = {
  name: string
  description: string
  input: P
  run(input: Static<TObject<P>>, context: ToolContext): Promise<ToolResult>
}

const readingHints = { readOnlyHint: true, openWorldHint: false } as const

/** A tool that changes nothing. */
export function readingTool<P extends TProperties>(told: Told<P> & { foreign?: boolean }): Tool {
  return {
    foreign: true,
    ...told,
    input: closed(told.input),
    writes: false,
    forAdministrators: false,
    hints: readingHints,
  }
}

/** A tool that changes something, or runs code. */
export function writingTool<P extends TProperties>(
  told: Told<P> & { hints: Omit<ToolHints, 'readOnlyHint'>; foreign?: boolean; forAdministrators?: boolean },
): Tool {
  return {
    foreign: false,
    forAdministrators: false,
    ...told,
    input: closed(told.input),
    writes: true,
    hints: { readOnlyHint: false, ...told.hints },
  }
}

function closed<P extends TProperties>(properties: P): TObject<P> {
  return Type.Object(properties, { additionalProperties: false })
}

/** One of these words. */
export function oneOf<const Word extends string>(words: readonly Word[]) {
  return Type.Unsafe<Word>({ type: 'string', enum: [...words] })
}

export const signalActions = ['LONG', 'SHORT', 'EXIT'] as const

/** A value of this type, or `null` to unset it. */
export function orNull<Value>(type: 'string' | 'integer' | 'number', description?: string) {
  return Type.Unsafe<Value | null>({ type: [type, 'null'], ...(description && { description }) })
}

/** What else these have to be, the API knows; each word here is read by every agent. */
export const Id = Type.Integer()
export const Offset = Type.Optional(Type.Integer())
export const Since = Type.Optional(Type.String())
export const SymbolName = Type.Optional(Type.String())

export const paging = {
  page: Type.Optional(Type.Integer()),
  limit: Type.Optional(Type.Integer({ maximum: pageLimit })),
}

/** The API's path of each kind of strategy, and the name of its long text. */
export const kinds = {
  strategy: { path: '/api/v2/strategy/code', text: 'code' },
  reaction: { path: '/api/v2/strategy/reaction/code', text: 'code' },
  ai_reaction: { path: '/api/v2/strategy/reaction/llm', text: 'prompt' },
} as const

export const Kind = oneOf(Object.keys(kinds) as (keyof typeof kinds)[])
