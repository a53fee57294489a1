import type { TSchema } from 'typebox'
import type { Window } from '../base/window.ts'
import type { FolderType } from '../db/schema.ts'

/** What is in folders of one type, as the folders show it. */
export type FolderContent = {
  type: FolderType
  /** The path of the items' own routes. Their folders are at `<path>/folder`. */
  path: string
  /** Tags in the OpenAPI document. */
  tags: string[]
  /** The name of the items, in the plural. */
  what: string
  /** The field of a folder that lists them. */
  field: 'strategies' | 'bots'
  /** Whether environment variables can apply to such a folder. */
  hasVariables: boolean
  /** The schema of one item in a response. */
  Item: TSchema
  /** Lists those in this folder itself, or in none, as responses show them. */
  list(userId: number, folderId: number | null, window: Window): Promise<unknown[]>
  count(userId: number, folderId: number | null): Promise<number>
}
