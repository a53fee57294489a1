/** A backtest in words. */
import { count } from '../../base/numbers.ts'
import { plainText } from '../../base/text.ts'
import type { Backtest } from './backtests.ts'

type Asked = Pick<Backtest, 'strategy_id' | 'version' | 'bot_webhook_id' | 'webhook_id'>

/** Where its signals are from: a saved version, code that was not saved, or a bot webhook. */
export function sourceText(
  { strategy_id: id, version, bot_webhook_id: botWebhookId, webhook_id: webhookId }: Asked,
  nameOf: (id: number | null) => string,
): string {
  if (botWebhookId !== null) return `signals of bot webhook ${botWebhookId}`
  const on = webhookId === null ? '' : `, on deliveries of webhook ${webhookId}`
  if (id === null) return `given with the request${on}`
  return `${plainText(nameOf(id))}, ${version === null ? 'a draft' : `version ${version}`}${on}`
}

/** A setting or figure, such as `fee_rate` or `return_percent`. */
export function settingText(name: string): string {
  return name.replace('_percent', ' (%)').replaceAll('_', ' ')
}

/** What a sweep varies. The names of parameters are those of the code. */
export function axisText({ of, name }: { of: string; name: string }): string {
  return of === 'setting' ? settingText(name) : name
}

/** What a sweep tries. */
export function sweepText({
  combinations,
  parameters,
  settings,
}: Pick<NonNullable<Backtest['sweep']>, 'combinations' | 'parameters' | 'settings'>): string {
  return `${count(combinations, 'combination')} of ${[...parameters, ...settings.map(settingText)].join(', ')}`
}
