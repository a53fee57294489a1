import type { TSchema } from 'typebox'
import type { Window } from '../base/window.ts'
import type { StrategyType } from '../db/schema.ts'

/** Strategies of one type, as their folders show them. */
export type FolderContent = {
  type: StrategyType
  /** The path of their own routes. Their folders are at `<path>/folder`. */
  path: string
  /** Tags in the OpenAPI document. */
  tags: string[]
  /** Their name, in the plural. */
  what: string
  /** The schema of one strategy in a response. */
  Strategy: TSchema
  /** Lists those in this folder itself, or in none, as responses show them. */
  list(userId: number, folderId: number | null, window: Window): Promise<unknown[]>
  count(userId: number, folderId: number | null): Promise<number>
}
