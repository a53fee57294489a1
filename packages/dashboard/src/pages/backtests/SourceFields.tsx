import { plainText } from '../../base/text.ts'
import { SelectField } from '../../parts/Choices.tsx'
import type { Backtest } from './backtests.ts'
import type { Choices } from './choices.ts'

export type Source = 'candles' | 'deliveries' | 'signals'

const kinds = {
  deliveries: { name: 'webhook_id', label: 'Data webhook', none: 'That of the reaction' },
  signals: { name: 'bot_webhook_id', label: 'Bot webhook', none: 'Choose the webhook' },
} as const

/** At which moments the code runs, or whose signals the bots follow without it. */
export function SourceFields({
  choices,
  source,
  onSource,
  earlier,
  problemOf,
}: {
  choices: Choices
  source: Source
  onSource: (source: Source) => void
  earlier: Backtest | undefined
  problemOf: (field: string) => string | undefined
}) {
  const kind = source === 'candles' ? null : kinds[source]
  const webhooks = source === 'deliveries' ? choices.dataWebhooks : choices.botWebhooks
  return (
    <>
      <SelectField
        label="Bots follow"
        name="source"
        value={source}
        onChange={(event) => onSource(event.target.value as Source)}
        problem={problemOf('source')}
      >
        <option value="candles">Code, after each candle</option>
        <option value="deliveries">Code or an AI reaction, on each delivery</option>
        <option value="signals">Signals of a bot webhook</option>
      </SelectField>
      {kind !== null && (
        <SelectField
          key={kind.name}
          label={kind.label}
          name={kind.name}
          defaultValue={webhooks.find(({ id }) => id === earlier?.[kind.name])?.id ?? ''}
          problem={problemOf(kind.name)}
        >
          <option value="">{kind.none}</option>
          {webhooks.map(({ id, name }) => (
            <option key={id} value={id}>
              {plainText(name) || `Webhook ${id}`}
            </option>
          ))}
        </SelectField>
      )}
    </>
  )
}
