/** A test run that begins with what a past run saw. */

import type { Run } from '@tickwright/client'
import { formatNumber } from '../../../base/numbers.ts'
import { plainText } from '../../../base/text.ts'
import { formatMoment } from '../../../base/times.ts'
import type { TestInput } from './test-input.ts'

type RunRecord = Pick<Run, 'id' | 'delivery_id' | 'started_at' | 'version' | 'seen'>

/** The input with the price, the storage and the last action that a run saw, as far as its record has them. */
export function inputOfRun({ id, seen }: RunRecord): Partial<TestInput> {
  const { price, state } = seen ?? { price: null, state: null }
  return {
    past: { id, price, state },
    price: price === null ? '' : String(price.price),
    ...(state === null
      ? { storage: 'stored', lastAction: 'present' }
      : { storage: 'past', typedStorage: JSON.stringify(state.storage, null, 2), lastAction: 'past' }),
  }
}

/** The last action in words: `LONG at 64000.5`. */
export function describeTrigger({ action, price }: { action: string | null; price: number | null }): string {
  if (action === null) return 'none yet'
  return price === null ? action : `${action} at ${formatNumber(price)}`
}

/**
 * Says what was loaded, from when, and what the record does not have.
 * @param present what the strategy is now
 */
export function noteOf(
  { id, delivery_id: delivery, started_at: startedAt, version, seen }: RunRecord,
  present: { version: number; usesPrice: boolean },
  now: number,
): string {
  const payload = delivery === null ? [] : [`the payload of delivery ${delivery}`]
  if (startedAt === null) {
    const loaded = payload.length === 0 ? 'it left nothing to load' : `only ${payload} is loaded`
    return `Run ${id} never started, so ${loaded}. A test uses the present price, storage and last action.`
  }
  const { price, state } = seen ?? { price: null, state: null }
  const loaded = [
    ...payload,
    ...(price === null ? [] : [`the price ${formatNumber(price.price)} of ${plainText(price.symbol)}`]),
    ...(state === null
      ? []
      : ['the storage from before it', `the last action then (${describeTrigger(state.last_trigger)})`]),
  ]
  const sentences = [
    loaded.length === 0
      ? `Nothing that run ${id} of ${formatMoment(startedAt, now)} saw is kept.`
      : `Loaded from run ${id} of ${formatMoment(startedAt, now)}: ${listOf(loaded)}.`,
  ]
  if (state === null)
    sentences.push(
      'Its storage and the last action then are not kept: of large storages, the service keeps those of runs that failed. A test uses the present ones.',
    )
  if (price === null && present.usesPrice) sentences.push('It had no price, so a test uses the current one.')
  if (version !== null && version !== present.version)
    sentences.push(`It ran version ${version}; the editor has version ${present.version}.`)
  return sentences.join(' ')
}

const list = new Intl.ListFormat('en')

function listOf(texts: readonly string[]): string {
  return list.format(texts)
}
