import type { TSchema } from 'typebox'
import type { StrategyType } from '../db/schema.ts'

/** The strategies of one type, as their folders show them. */
export type FolderContent = {
  type: StrategyType
  /** Where their own routes are: folders are at `<path>/folder`. */
  path: string
  /** In the reference of the API. */
  tags: string[]
  /** What they are, in the plural. */
  what: string
  /** How one is shown. */
  Strategy: TSchema
  /** Those that are in this folder itself, or in none; shown. */
  list(userId: number, folderId: number | null): Promise<unknown[]>
}
