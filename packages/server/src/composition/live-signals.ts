import type { BelongingIds, Change } from '../live/changes.ts'
import type { Source } from '../live/source.ts'
import type { UnheededSignal } from '../runs/journal.ts'
import { signalRow } from '../runs/journal-statement.ts'
import { presentSignal } from '../signals/routes.ts'
import type { Signal, Signals } from '../signals/signals.ts'
import { eachAlone, type Owners, ofUsers, type Shown, storedOrRead } from './live-reading.ts'

/**
 * Shows a signal that this node has just stored and that no bot took to its sender, as the node has stored it. Reads the
 * others, and for the owner of the bot webhook, who sees it differently.
 */
export function signalSource(signals: Signals, botWebhooks: Owners): Source {
  const viewersOf = (changes: Change[]) => viewers(signals, botWebhooks, changes)
  const read = ofUsers(
    viewersOf,
    eachAlone((userId, ids) => signals.byId(userId, ids)),
    show,
  )
  const showStored = async () => (userId: number, kept: UnheededSignal) =>
    userId === kept.entry.userId ? show(signalOf(kept)) : undefined
  return storedOrRead(viewersOf, showStored, read)
}

/** The sender of each signal and the owner of its bot webhook. A change that names the sender names the webhook too. */
async function viewers(signals: Signals, botWebhooks: Owners, changes: Change[]): Promise<number[][]> {
  const unknown = changes.filter(({ userId }) => userId === undefined).map(({ id }) => id)
  const [owners, read] = await Promise.all([
    botWebhooks.of(changes.map(({ webhookId }) => webhookId)),
    unknown.length === 0 ? new Map<number, number[]>() : signals.viewers(unknown),
  ])
  return changes.map(({ id, userId }, index) =>
    userId === undefined ? (read.get(id) ?? []) : [...new Set([userId, ...owners[index]!])],
  )
}

function show(signal: Signal): Shown {
  const { strategyId, runId, webhookId } = signal
  return [presentSignal(signal), { ...known({ strategyId, runId, webhookId }), webhookKind: 'bot' }]
}

/** The signal as `Signals.byId` would read it for its sender. */
function signalOf({ id, entry, as }: UnheededSignal): Signal {
  const { user_id: userId, strategy_id: strategyId, run_id: runId, options, at } = signalRow(entry)
  const { action, symbols, price, previousTrigger } = entry
  return {
    ...{ id, userId, strategyId, runId, action, symbols, price, options, previousTrigger, ...as },
    ...{ origin: null, sender: null, deliveryId: null, flags: [], delivered: false, bots: [], total: 0 },
    createdAt: new Date(at),
  }
}

function known(of: { [Key in keyof BelongingIds]: number | null }): BelongingIds {
  return Object.fromEntries(Object.entries(of).filter(([, id]) => id !== null))
}
