/** Which parts of the example exist, and what they lack. */

import type { BotWebhook, CodeReactionInList, DataWebhook, SignalBotInList } from '@tickwright/client'
import { exampleName } from '../../data/example.ts'

/** What the example is looked for in. */
export type Things = {
  dataWebhooks: readonly DataWebhook[]
  reactions: readonly CodeReactionInList[]
  botWebhooks: readonly BotWebhook[]
  bots: readonly SignalBotInList[]
}

/** The parts in the order of a payload's way. `undefined`: it does not exist. */
export type Example = {
  dataWebhook: DataWebhook | undefined
  reaction: CodeReactionInList | undefined
  botWebhook: BotWebhook | undefined
  bot: SignalBotInList | undefined
}

/**
 * Finds the parts by their names. A reaction or a bot that is attached to something else is somebody's copy, and no part
 * of the example; one that is attached to nothing was left half made.
 */
export function findExample({ dataWebhooks, reactions, botWebhooks, bots }: Things): Example {
  const dataWebhook = named(dataWebhooks)[0]
  const botWebhook = named(botWebhooks)[0]
  const fits = (id: number | null, wanted: number | undefined) => id === null || id === wanted
  const reaction = named(reactions).find(
    ({ data_webhook_id, webhook_id }) =>
      fits(data_webhook_id, dataWebhook?.id) && fits(webhook_id, botWebhook?.id),
  )
  const bot = named(bots).find(({ webhook_id, mode }) => mode === 'paper' && fits(webhook_id, botWebhook?.id))
  return { dataWebhook, reaction, botWebhook, bot }
}

/** The oldest first: whatever was made twice, all pages choose the same. */
function named<Item extends { id: number; name: string }>(items: readonly Item[]): Item[] {
  return items.filter(({ name }) => name === exampleName).sort((one, other) => one.id - other.id)
}

export type PartName = keyof Example

/** What a part lacks before a payload can become a fill; `null`: nothing. */
export function lackOf(example: Example, part: PartName): string | null {
  const found = example[part]
  if (found === undefined) return 'Does not exist yet'
  if (!isAttached(example, part)) return 'Is not attached'
  if (found.status === 'SUSPENDED') return 'Is suspended'
  return found.status === 'ACTIVE' ? null : 'Is off'
}

function isAttached({ dataWebhook, reaction, botWebhook, bot }: Example, part: PartName): boolean {
  if (part === 'bot') return bot?.webhook_id === botWebhook?.id
  if (part !== 'reaction') return true
  return (
    reaction?.data_webhook_id === dataWebhook?.id &&
    reaction?.webhook_id === botWebhook?.id &&
    reaction?.send_signal === true
  )
}

export const partNames: readonly PartName[] = ['dataWebhook', 'reaction', 'botWebhook', 'bot']

/** Whether a payload can become a fill, nothing is there, or something is missing. */
export function stateOf(example: Example): 'ready' | 'none' | 'incomplete' {
  if (partNames.every((part) => lackOf(example, part) === null)) return 'ready'
  return partNames.every((part) => example[part] === undefined) ? 'none' : 'incomplete'
}

/** What opens a position of the example, and what closes it. */
export const payloads = { opens: '{ "price": 100 }', closes: '{ "price": 90 }' }

/** The payload that does something now. */
export function nextPayload(lastAction: string | null | undefined): string {
  return lastAction === 'LONG' ? payloads.closes : payloads.opens
}
