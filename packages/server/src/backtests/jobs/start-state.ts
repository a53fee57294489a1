/** What the code of a backtest finds at its start: nothing, what its strategy has stored, or what the request gives. */
import { type LastTrigger, storageByteLimit } from '@tickwright/sandbox'
import { eq } from 'drizzle-orm'
import { type Static, Type } from 'typebox'
import { readBodyMoment } from '../../base/body-moment.ts'
import type { Db } from '../../db/database.ts'
import { type BacktestPlan, strategyState } from '../../db/schema.ts'
import { orNull } from '../../strategies/fields.ts'
import { noTrigger } from '../decide.ts'

const Named = Type.Enum(['empty', 'saved'])

const StorageStart = Type.Union(
  [
    Named,
    Type.Record(
      Type.String(),
      // The limits exceed what may be stored.
      Type.Unknown({ maxLength: 65_536, maxItems: 50_000, maxProperties: 50_000 }),
      { maxProperties: 50_000 },
    ),
  ],
  {
    description: `What \`$.Storage\` has at the start: \`empty\` (the default), \`saved\` (what the strategy has stored at the time of the request), or an object of at most ${storageByteLimit} bytes of JSON.`,
  },
)

const TriggerStart = Type.Union(
  [
    Named,
    Type.Object({
      action: Type.Enum(['LONG', 'SHORT', 'EXIT']),
      price: Type.Optional(orNull(Type.Number({ minimum: 0, maximum: 1e15 }))),
      at: Type.Optional(orNull(Type.String({ format: 'date-time', maxLength: 64 }))),
    }),
  ],
  {
    description:
      'The last trigger at the start: `empty` (the default), `saved` (that of the strategy at the time of the request), or one that you give.',
  },
)

export const startFields = {
  storage: Type.Optional(StorageStart),
  last_trigger: Type.Optional(TriggerStart),
}

/** What a request says about the start. */
export type AskedStart = {
  storage?: Static<typeof StorageStart>
  last_trigger?: Static<typeof TriggerStart>
}

type Start = Required<Pick<BacktestPlan, 'storage' | 'lastTrigger' | 'starts'>>

type Notes = { add(field: string, message: string): void }

/**
 * Reads the start of a backtest. Notes what is wrong with it.
 * @param strategyId the user's strategy; `null`: the code is of none
 * @throws {AppError} 400 for a time that does not exist
 */
export async function readStart(
  db: Db,
  strategyId: number | null,
  { storage = 'empty', last_trigger: last = 'empty' }: AskedStart,
  problems: Notes,
): Promise<Start> {
  for (const [field, asked] of Object.entries({ storage, last_trigger: last })) {
    if (asked === 'saved' && strategyId === null) problems.add(field, 'needs a `strategy_id` to be `saved`')
  }
  const isSaved = strategyId !== null && (storage === 'saved' || last === 'saved')
  const saved = isSaved ? await savedOf(db, strategyId) : nothing
  return {
    storage: storage === 'saved' ? saved.storage : storage === 'empty' ? null : textOf(storage, problems),
    lastTrigger:
      last === 'saved' ? saved.lastTrigger : last === 'empty' ? noTrigger : triggerOf(last, problems),
    starts: { storage: nameOf(storage), lastTrigger: nameOf(last) },
  }
}

const nothing: Pick<Start, 'storage' | 'lastTrigger'> = { storage: null, lastTrigger: noTrigger }

async function savedOf(db: Db, strategyId: number): Promise<typeof nothing> {
  const [state] = await db.select().from(strategyState).where(eq(strategyState.strategyId, strategyId))
  if (state === undefined) return nothing
  const { storage, lastAction: action, lastPrice: price, lastActionAt } = state
  return { storage, lastTrigger: { action, price, at: lastActionAt?.getTime() ?? null } }
}

function textOf(value: object, problems: Notes): string {
  const text = JSON.stringify(value)
  const bytes = Buffer.byteLength(text)
  if (bytes > storageByteLimit) {
    problems.add('storage', `may have at most ${storageByteLimit} bytes of JSON; it has ${bytes}`)
  }
  return text
}

function triggerOf(
  { action, price = null, at = null }: Exclude<Static<typeof TriggerStart>, string>,
  problems: Notes,
): LastTrigger {
  const atMs = at === null ? null : readBodyMoment('last_trigger.at', at)
  if (atMs !== null && atMs < 0) problems.add('last_trigger.at', 'must be a moment since 1970')
  return { action, price, at: atMs }
}

function nameOf(asked: string | object): 'empty' | 'saved' | 'given' {
  return asked === 'saved' || asked === 'empty' ? asked : 'given'
}
