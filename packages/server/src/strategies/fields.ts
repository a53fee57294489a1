import { codeByteLimit } from '@tickwright/sandbox'
import { type TSchema, Type } from 'typebox'
import { given } from '../base/given.ts'
import type { StrategySettings } from './strategy.ts'

export const orNull = <T extends TSchema>(schema: T) => Type.Union([schema, Type.Null()])

export const wholeNumber = { minimum: 1, maximum: Number.MAX_SAFE_INTEGER }

/** The schema allows more than fits: the real limit counts bytes, and has an error of its own. */
export const Code = (description: string) => Type.String({ maxLength: 4 * codeByteLimit, description })

/** The settings of code, except the code itself. */
export const codeFields = {
  use_price: Type.Boolean(),
  exchange_id: orNull(Type.Integer(wholeNumber)),
  price_symbol: orNull(Type.String({ maxLength: 100, description: 'The symbol of `$.Price`.' })),
}

/** The settings of every reaction. */
export const reactionFields = {
  data_webhook_id: Type.Union([Type.Integer(wholeNumber), Type.Null()], {
    description: 'The data webhook that triggers it.',
  }),
  delay: Type.Union([Type.Integer({ minimum: 1, maximum: 1000 }), Type.Null()], {
    description: 'The maximum number of runs per second.',
  }),
}

export function readCodeFields(body: {
  code?: string
  use_price?: boolean
  exchange_id?: number | null
  price_symbol?: string | null
}): StrategySettings {
  const { code, use_price: usePrice, exchange_id: exchangeId, price_symbol: priceSymbol } = body
  return given({ code, usePrice, exchangeId, priceSymbol })
}

export function readReactionFields(body: {
  data_webhook_id?: number | null
  delay?: number | null
}): StrategySettings {
  const { data_webhook_id: dataWebhookId, delay } = body
  return given({ dataWebhookId, delay })
}
