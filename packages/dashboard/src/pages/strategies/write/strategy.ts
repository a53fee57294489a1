import { queryOptions } from '@tanstack/react-query'
import type { CodeReaction, CodeStrategy } from '@tickwright/client'
import { client } from '../../../data/client.ts'
import { asEdited } from '../../../parts/editor/positions.ts'
import { readTag, type Saved } from './draft.ts'

/** What has code: strategies with a schedule, and reactions to payloads. */
export type CodeKind = 'code' | 'reaction'
export type Written = CodeStrategy | CodeReaction
type Tagged<Record> = Record & { readonly etag?: string | undefined }

export function isCodeKind(text: string): text is CodeKind {
  return text === 'code' || text === 'reaction'
}

/** The operations of a kind. Both have the same. */
export function operationsOf(kind: CodeKind) {
  return kind === 'code' ? client.strategies.code : client.reactions.code
}

export function codeQuery(kind: CodeKind, id: number) {
  return queryOptions({
    queryKey: ['strategies', kind, id, 'code'],
    queryFn: (): Promise<Tagged<Written>> => operationsOf(kind).get(id),
    // Sharing would copy the record, and lose its tag.
    structuralSharing: false,
  })
}

/** @throws {Error} if a proxy has removed the tag, without which a save could overwrite another one */
export function savedOf(record: Tagged<Written>): Saved {
  const tag = readTag(record.etag)
  if (tag === null) throw new Error('Something between this page and the service removes the header ETag.')
  return { ...tag, code: asEdited(record.code) }
}
