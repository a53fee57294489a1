import type { SignalFlag } from '../db/schema.ts'

/**
 * What a sender can ask for: `TEST` that no bot trades, `REVERSE` that buy and sell change places, `DEBUG` that the answer
 * explains itself.
 */
export const signalFlags = ['TEST', 'REVERSE', 'DEBUG'] as const satisfies readonly SignalFlag[]

/** The flag that decides what bots do: with `TEST`, they do nothing. */
export function decidingFlag(flags: readonly SignalFlag[]): 'TEST' | 'REVERSE' | null {
  return flags.includes('TEST') ? 'TEST' : flags.includes('REVERSE') ? 'REVERSE' : null
}

/** The same as SQL. @param flags an expression of text[] */
export const decidingFlagSql = (flags: string) =>
  `case when 'TEST' = any(${flags}) then 'TEST' when 'REVERSE' = any(${flags}) then 'REVERSE' end`
