/** What a decision of a model depended on, besides its payload: it is kept with the transcript, for backtests. */
import type { ThinkHost } from '../ai/gate.ts'
import { questionDigest, textDigest } from '../ai/question-digest.ts'
import type { ThinkInput, ThinkOutcome } from '../ai/think.ts'
import type { TranscriptBasis } from '../db/schema.ts'
import type { ModelSettings } from './held-strategy.ts'

type Noted = Pick<TranscriptBasis, 'prices' | 'asksBots'>

/** The same host, which notes the prices that the model gets, and whether it asks what bots hold or did. */
export function notingHost(host: ThinkHost): { host: ThinkHost; noted: Noted } {
  const noted: Noted = { prices: [], asksBots: false }
  const asks = <Result>(answer: () => Result): Result => {
    noted.asksBots = true
    return answer()
  }
  return {
    noted,
    host: {
      ...host,
      price: async (name, signal) => {
        const price = await host.price(name, signal)
        if (price !== null) noted.prices.push([lettersOf(name.pair), price])
        return price
      },
      market: {
        ...host.market,
        price: async (asked) => {
          const quote = await host.market.price(asked)
          noted.prices.push([lettersOf(asked.symbol), quote.price])
          return quote
        },
      },
      positions: () => asks(() => host.positions()),
      logs: {
        signals: (count) => asks(() => host.logs.signals(count)),
        errors: (count) => asks(() => host.logs.errors(count)),
      },
    },
  }
}

/** `null` if a fallback was asked: another model than that of the strategy decided. */
export function basisOf(
  { connection, policy, template, values }: ThinkInput,
  { prompt, chart }: { prompt: string } & Pick<ModelSettings, 'chart'>,
  { transcript, storage: after }: Pick<ThinkOutcome, 'transcript' | 'storage'>,
  noted: Noted,
): TranscriptBasis | null {
  if (transcript.some((entry) => entry.type === 'asked' && entry.fallback)) return null
  const shows = (name: string) => template.some((part) => part.type === 'value' && part.name === name)
  const { action, at } = values.lastTrigger
  const before = storageDigest(values.storage)
  return {
    question: questionDigest({ access: connection, prompt, policy, chart }),
    ...{ storage: before, kept: after === undefined ? before : textDigest(after) },
    ...(shows('last_trigger_action') && { lastAction: action }),
    ...(shows('last_trigger_at') && { lastActionAt: at }),
    ...noted,
  }
}

/** Of a stored value as JSON text. Nothing stored has a digest too. */
export function storageDigest(text: string | null): string {
  return textDigest(text ?? 'null')
}

/** A model may write a symbol with characters that the database cannot store. */
function lettersOf(symbol: string): string {
  return symbol.toUpperCase().replaceAll(/[^A-Z0-9]/g, '')
}
