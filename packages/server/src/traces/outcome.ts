import { counted } from '../base/counted.ts'
import type { BotRow, RunRow } from './rows.ts'
import { endText } from './run-steps.ts'
import type { Timeline } from './timeline.ts'
import type { DeliveryTrace, RunTrace, SignalDeliveryTrace } from './traces.ts'

/**
 * What became of a payload or a run. `reasons` say what did not happen, and why. `is_usual`: they are all usual outcomes,
 * such as a strategy that does nothing.
 */
export type Outcome = { status: string; text: string; reasons: string[]; is_usual: boolean }

/** Each step has its own reason. These are the first ones. */
export const mostReasons = 20

export function outcomeOfRun({ row, bots, timeline }: RunTrace): Outcome {
  return { status: row.run.status, text: sentences(endText(row), botsText([row], bots)), ...why(timeline) }
}

/** `IGNORED`: none of the user's reactions ran. `OPEN`: a run, or a bot with its signal, has not ended. */
export function outcomeOfDelivery({ delivery, runs, bots, timeline }: DeliveryTrace): Outcome {
  const isOpen = runs.some(({ run }) => run.finishedAt === null) || bots.some(isUnfinished)
  const status = runs.length === 0 ? 'IGNORED' : isOpen ? 'OPEN' : 'DONE'
  const got = `${counted(delivery.reactions, 'reaction')} got the payload.`
  const ran =
    runs.length === 0
      ? 'None of your reactions ran.'
      : `Your runs: ${tally(runs.map(({ run }) => run.status))}.`
  return { status, text: sentences(got, ran, botsText(runs, bots)), ...why(timeline) }
}

/** `IGNORED`: no bot took the signal. `OPEN`: one of the user's bots has not ended. */
export function outcomeOfSignalDelivery({ delivery, bots, timeline }: SignalDeliveryTrace): Outcome {
  const status = delivery.bots === 0 ? 'IGNORED' : bots.some(isUnfinished) ? 'OPEN' : 'DONE'
  const taken =
    delivery.bots === 0 ? 'No bot took the signal.' : `${counted(delivery.bots, 'bot')} took the signal.`
  const yours = tallyOfBots(bots)
  return { status, text: sentences(taken, yours === '' ? '' : `Your bots: ${yours}.`), ...why(timeline) }
}

function why(timeline: Timeline): Pick<Outcome, 'reasons' | 'is_usual'> {
  return { reasons: [...new Set(timeline.reasons())].slice(0, mostReasons), is_usual: timeline.isUsual() }
}

function botsText(runs: readonly RunRow[], bots: readonly BotRow[]): string {
  const sent = runs.filter(({ signal }) => signal !== null).length
  if (sent === 0) return ''
  const statuses = tallyOfBots(bots)
  const signals = sent === 1 ? 'Its signal' : `Its ${sent} signals`
  if (statuses === '') return `${signals} went to none of your bots.`
  return `${signals} went to your bots: ${statuses}.`
}

/** A bot with several orders and fills has a row for each. */
function tallyOfBots(bots: readonly BotRow[]): string {
  return tally([...new Map(bots.map(({ botSignal }) => [botSignal.id, botSignal.status])).values()])
}

function isUnfinished({ botSignal }: BotRow): boolean {
  return botSignal.finishedAt === null
}

/** How often each word occurs: `2 DONE, 1 REFUSED`. */
function tally(words: readonly string[]): string {
  return [...Map.groupBy(words, (word) => word)].map(([word, all]) => `${all.length} ${word}`).join(', ')
}

function sentences(...texts: string[]): string {
  return texts.filter((text) => text !== '').join(' ')
}
