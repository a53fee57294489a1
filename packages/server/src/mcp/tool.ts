import { type Static, type TObject, type TProperties, Type } from 'typebox'
import type { Agent } from '../base/principal.ts'
import type { Api } from './api.ts'
import { pageLimit, type ToolResult } from './results.ts'

export type ToolContext = { api: Api; agent: Agent }

export type Tool = {
  name: string
  description: string
  input: TObject
  /** Only for keys that may write. */
  writes: boolean
  /** Only for administrators. */
  forAdministrators: boolean
  /** Whether other people may have written parts of its results. */
  foreign: boolean
  hints: ToolHints
  run(input: never, context: ToolContext): Promise<ToolResult>
}

/** The annotations of MCP. `idempotentHint` is missing if false, `openWorldHint` if true: those are the defaults. */
export type ToolHints = {
  readOnlyHint: boolean
  destructiveHint?: boolean
  idempotentHint?: true
  openWorldHint?: false
}

type Description<P extends TProperties> = {
  name: string
  description: string
  input: P
  run(input: Static<TObject<P>>, context: ToolContext): Promise<ToolResult>
}

const readingHints = { readOnlyHint: true, openWorldHint: false } as const

/** A tool that changes nothing. */
export function readingTool<P extends TProperties>(described: Description<P> & { foreign?: boolean }): Tool {
  return {
    foreign: true,
    ...described,
    input: closed(described.input),
    writes: false,
    forAdministrators: false,
    hints: readingHints,
  }
}

/** A tool that changes something, or runs code. */
export function writingTool<P extends TProperties>(
  described: Description<P> & {
    hints: Omit<ToolHints, 'readOnlyHint'>
    foreign?: boolean
    forAdministrators?: boolean
  },
): Tool {
  return {
    foreign: false,
    forAdministrators: false,
    ...described,
    input: closed(described.input),
    writes: true,
    hints: { readOnlyHint: false, ...described.hints },
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

/** A value of this type, or `null` to remove it. */
export function orNull<Value>(type: 'string' | 'integer' | 'number', description?: string) {
  return Type.Unsafe<Value | null>({ type: [type, 'null'], ...(description && { description }) })
}

/** The API checks the rest. Every agent pays for each word of these schemas. */
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
  ai_session: { path: '/api/v2/strategy/llm-session', text: 'prompt' },
} as const

export const Kind = oneOf(Object.keys(kinds) as (keyof typeof kinds)[])
