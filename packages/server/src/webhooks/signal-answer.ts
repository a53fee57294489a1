import { type Static, type TObject, Type } from 'typebox'
import { given } from '../base/given.ts'
import { BotPlan, mostPlans } from '../signals/bot-plans.ts'
import { presentFlags, SignalAction, SignalOptions, shownFlags } from '../signals/schemas.ts'
import type { Entrance } from './addresses.ts'
import type { OutsideSignal } from './outside-payload.ts'
import type { OutsideSignals, TakenSignal } from './outside-signals.ts'

/** What the answer to a signal has besides its id and its time. */
export const answerFields = {
  bots: Type.Integer({ description: 'How many bots took the signal.' }),
  note: Type.Optional(
    Type.String({ description: 'Why no bot took it, or that the bots trade it in spite of DEBUG.' }),
  ),
  ignored: Type.Optional(
    Type.Array(Type.String(), {
      description:
        'Fields of the payload that nothing acts on, such as `leverage`: at most 20 names, each cut to 64 characters. Absent if there are none, and in the answer to a repeat.',
    }),
  ),
  debug: Type.Optional(
    Type.Object(
      {
        action: SignalAction,
        symbols: Type.Array(Type.String()),
        options: SignalOptions,
        ...shownFlags,
        bots: Type.Union([Type.Array(Type.Integer()), Type.Null()], {
          description:
            'Ids of your bots that get the signal, or would get it without TEST; at most a hundred. null if they could not be read.',
        }),
        plans: Type.Union([Type.Array(BotPlan), Type.Null()], {
          description: `What each of your bots with this webhook would do, by its books and the price right before the signal was stored: the first ${mostPlans}. null if it could not be worked out, also after many explanations in a short time.`,
        }),
      },
      {
        description:
          'How the service understood the payload. Present if the payload asks for it, with `debug` or the flag DEBUG.',
      },
    ),
  ),
}

type SignalAnswer = Static<TObject<typeof answerFields>>

/** The answer to a signal that is stored. */
export async function answerTo(
  { status, bots }: Exclude<TakenSignal, { status: 'stale' }>,
  { signal, ignored = [], plans }: { signal: OutsideSignal; ignored?: string[]; plans: BotPlan[] | null },
  { webhook, sender }: Entrance,
  signals: Pick<OutsideSignals, 'followers'>,
): Promise<SignalAnswer> {
  if (status === 'duplicate') return { bots }
  const note = noteOf(signal, bots)
  const answer: SignalAnswer = { bots, ...given({ note }), ...(ignored.length > 0 && { ignored }) }
  if (!signal.debug) return answer
  const { action, symbols, options } = signal
  // The signal is stored already: an error here would make the sender send it again.
  const userId = sender?.userId ?? webhook.userId
  const reached =
    signal.symbols.length === 0 ? [] : await signals.followers(webhook.id, userId).catch(() => null)
  return { ...answer, debug: { action, symbols, options, ...presentFlags(signal), bots: reached, plans } }
}

/** Why no bot took a signal. Someone who tries a payload with DEBUG alone must not miss that it is traded. */
function noteOf({ flags, symbols }: OutsideSignal, bots: number): string | undefined {
  if (bots > 0) {
    return flags.includes('DEBUG')
      ? 'DEBUG only explains the signal: the bots trade it. Add the flag TEST to prevent that.'
      : undefined
  }
  if (flags.includes('TEST')) return 'A test: checked and recorded, not traded.'
  if (symbols.length === 0) return 'No bot for prediction markets can be on yet: recorded, not traded.'
  return 'No bot that is ACTIVE has this webhook: recorded, not traded.'
}

/** Says what the bots of a user that have a bot webhook would do with a signal for one symbol. */
export type ExplainSignal = (
  of: { webhookId: number; userId: number },
  signal: { action: OutsideSignal['action']; symbol: string; options: OutsideSignal['options'] },
  patienceMs: number,
) => Promise<BotPlan[] | null>

/** A test can wait for an exchange. A signal that is traded waits no longer than this for its explanation. */
const testPatienceMs = 3_000
const tradePatienceMs = 300

/**
 * The plans for a signal that asks for them. Called before the signal is stored: afterwards, the bots may already have
 * traded it. Never rejects, because a signal must not fail because of its explanation.
 */
export async function plansFor(
  { action, symbols, options, flags, debug }: OutsideSignal,
  { webhook, sender }: Pick<Entrance, 'webhook' | 'sender'>,
  explain: ExplainSignal,
): Promise<BotPlan[] | null> {
  const [symbol] = symbols
  if (!debug) return null
  if (symbol === undefined) return []
  const of = { webhookId: webhook.id, userId: sender?.userId ?? webhook.userId }
  const patienceMs = flags.includes('TEST') ? testPatienceMs : tradePatienceMs
  return explain(of, { action, symbol, options }, patienceMs).catch(() => null)
}
