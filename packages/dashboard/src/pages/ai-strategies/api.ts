import type { AiTestRun, List, SaveOptions, Tagged } from '@tickwright/client'
import { client } from '../../data/client.ts'
import type { Body } from './fields.ts'
import type { AiKind, AiStrategy } from './kinds.ts'

/** The operations that both kinds have. Only their fields differ. */
type OfModel = {
  get(id: number): Promise<AiStrategy & Tagged>
  create(body: Body): Promise<AiStrategy & Tagged>
  update(id: number, body: Body & { reason?: string }, options?: SaveOptions): Promise<AiStrategy & Tagged>
  delete(id: number): Promise<unknown>
  setStatus(id: number, body: { status: 'ACTIVE' | 'INACTIVE' }): Promise<unknown>
  check(body: { prompt: string }): Promise<Check>
  test(id: number, body: object): Promise<AiTestRun>
  preview(id: number, body: object): Promise<Preview>
  previewPrompt(body: Body & { prompt: string }): Promise<Preview>
  testPrompt(body: Body & { prompt: string; connection_id: number }): Promise<AiTestRun>
  budget(id: number): Promise<Budget>
  budgets(query: { limit: number }): Promise<List<Budget>>
  versions(id: number, query: { limit: number }): Promise<List<Version>>
  compare(id: number, version: number): Promise<Comparison>
  restore(id: number, version: number, body: object, options?: SaveOptions): Promise<unknown>
}

type Reactions = typeof client.reactions.llm
type Check = Awaited<ReturnType<Reactions['check']>>
export type Budget = Awaited<ReturnType<Reactions['budget']>>
export type Version = Item<Awaited<ReturnType<Reactions['versions']>>>
/** The first question to a model, which is not asked. */
export type Preview = Awaited<ReturnType<Reactions['preview']>>
type Comparison = Awaited<ReturnType<Reactions['compare']>>
type Item<Of> = Of extends List<infer One> ? One : never

export const apiOf: Record<AiKind, OfModel> = {
  reaction: client.reactions.llm,
  session: client.strategies.llmSessions,
}
