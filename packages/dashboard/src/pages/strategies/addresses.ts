/** What the addresses of the pages of one strategy say. */
import { type CodeKind, isCodeKind } from './kinds.ts'

/** The tab, and the versions that are compared. */
export type StrategyView = { tab?: string; from?: number; to?: number }

export function readStrategyView({ tab, from, to }: Record<string, unknown>): StrategyView {
  return {
    ...(typeof tab === 'string' ? { tab } : {}),
    ...(isNumber(from) ? { from } : {}),
    ...(isNumber(to) ? { to } : {}),
  }
}

/** What a new strategy begins with. */
export type NewStrategy = { kind?: CodeKind; folder?: number; webhook?: number }

export function readNewStrategy({ kind, folder, webhook }: Record<string, unknown>): NewStrategy {
  return {
    ...(typeof kind === 'string' && isCodeKind(kind) ? { kind } : {}),
    ...(isNumber(folder) ? { folder } : {}),
    ...(isNumber(webhook) ? { webhook } : {}),
  }
}

function isNumber(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) > 0
}
