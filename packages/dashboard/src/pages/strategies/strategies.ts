import { queryOptions } from '@tanstack/react-query'
import {
  type AiReactionInList,
  type AiSessionInList,
  type CodeReaction,
  type CodeReactionInList,
  type CodeStrategy,
  type CodeStrategyInList,
  eachOf,
  type Folder,
  type List,
  type SaveOptions,
  type Tagged,
} from '@tickwright/client'
import { allOf } from '../../data/all-of.ts'
import { client } from '../../data/client.ts'
import type { AnyFolder } from '../../parts/folders/tree.ts'
import type { Body } from './draft.ts'
import { type CodeKind, type Kind, kinds } from './kinds.ts'

/** A folder holds strategies of one kind. */
export type FolderOf = AnyFolder & { kind: Kind }

export type Listed = CodeStrategyInList | CodeReactionInList | AiReactionInList | AiSessionInList
export type Strategy = (CodeStrategy | CodeReaction) & Tagged

/** The operations that both kinds of code have. Only their fields differ. */
type OfCode = {
  get(id: number): Promise<Strategy>
  create(body: Body): Promise<Strategy>
  update(id: number, body: Body, options?: SaveOptions): Promise<Strategy>
  delete(id: number): Promise<unknown>
  duplicate(body: { id: number }): Promise<Strategy>
  setStatus(id: number, body: { status: 'ACTIVE' | 'INACTIVE' }): Promise<{ note?: string | undefined }>
  reset(id: number, body: { resetTriggers?: boolean; resetStore?: boolean }): Promise<unknown>
  versions(id: number, query: { limit: number; before?: number }): Promise<List<Version>>
  compare(id: number, version: number, query: { with?: number }): Promise<Comparison>
  restore(id: number, version: number, body: { reason?: string }, options?: SaveOptions): Promise<Strategy>
}

export type Version = ListItem<Awaited<ReturnType<typeof client.strategies.code.versions>>>
export type Comparison = Awaited<ReturnType<typeof client.strategies.code.compare>>
type ListItem<Of> = Of extends List<infer Item> ? Item : never

export const codeOf: Record<CodeKind, OfCode> = {
  code: client.strategies.code,
  reaction: client.reactions.code,
}

/** The operations that all kinds have, with the same arguments. */
type OfAnyKind = {
  list(part: { page?: number; limit: number }): Promise<List<Listed>>
  update(id: number, body: { folder_id: number | null }): Promise<unknown>
  folders: {
    list(part: { page?: number; limit: number }): Promise<List<Folder>>
    create(body: { name: string; parent_id: number | null }): Promise<Folder>
    update(id: number, body: { name?: string; parent_id?: number | null }): Promise<Folder>
    delete(id: number): Promise<unknown>
  }
}

export const anyOf: Record<Kind, OfAnyKind> = {
  code: client.strategies.code,
  reaction: client.reactions.code,
  ai: client.reactions.llm,
  session: client.strategies.llmSessions,
}

/** All strategies and reactions, without their code and prompts. */
export const strategiesQuery = queryOptions({
  queryKey: ['strategies', 'all'],
  queryFn: async (): Promise<Listed[]> => {
    const lists = kinds.map((kind) => allOf(eachOf<Listed>(anyOf[kind].list)))
    return (await Promise.all(lists)).flat()
  },
})

/** All folders of all kinds. */
export const foldersQuery = queryOptions({
  queryKey: ['strategies', 'folders'],
  queryFn: async (): Promise<FolderOf[]> => {
    const lists = kinds.map(async (kind) => {
      const folders = await allOf(eachOf<Folder>(anyOf[kind].folders.list))
      return folders.map((folder) => ({ ...folder, kind }))
    })
    return (await Promise.all(lists)).flat()
  },
})

/** One strategy with its code. Its tag, for `ifMatch`, is no field: a copy would lose it. */
export function strategyQuery(kind: CodeKind, id: number) {
  return queryOptions({
    queryKey: ['strategies', kind, id],
    queryFn: (): Promise<Strategy> => codeOf[kind].get(id),
    structuralSharing: false,
  })
}
