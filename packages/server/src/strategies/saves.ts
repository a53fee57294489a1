import type { Principal } from '../base/principal.ts'
import type { SavedVia } from '../db/schema.ts'
import type { IfMatch } from './settings-tag.ts'

/** Who saves a strategy, why, and on which condition. */
export type Save = {
  via: SavedVia
  apiKeyId: number | null
  /** The user's own words. */
  reason?: string
  /** The version that the content comes from. */
  restoredFrom?: number
  /** The strategy that caused it, if the current request does not say so. */
  byStrategyId?: number
  /** The save takes place only if the strategy still has one of these tags. */
  ifMatch?: IfMatch
}

/** A save that no user asked for. */
export const byService: Save = { via: 'service', apiKeyId: null }

/** A save that a request asks for. */
export function savedBy({ apiKeyId, isAgent }: Principal, reason?: string, ifMatch?: IfMatch): Save {
  const via = isAgent ? 'agent' : apiKeyId === undefined ? 'session' : 'key'
  return {
    ...{ via, apiKeyId: apiKeyId ?? null },
    ...(reason === undefined || reason.trim() === '' ? {} : { reason }),
    ...(ifMatch === undefined ? {} : { ifMatch }),
  }
}
