import { useId } from 'react'
import { plainText } from '../../base/text.ts'
import { useSettled } from '../../base/use-settled.ts'
import { useQuery } from '../../data/use-query.ts'
import { CheckField, FieldGroup, SelectField, WholeRow } from '../../parts/Choices.tsx'
import { TextField } from '../../parts/Field.tsx'
import {
  exchangesQuery,
  exchangeText,
  symbolsQuery,
  type WebhookChoice,
  webhookChoicesQuery,
} from './choices.ts'
import type { Draft } from './draft.ts'

/** What the groups of fields have in common: the settings, how to change them, and what is wrong with each. */
export type FieldsProps = {
  draft: Draft
  change: (changed: Partial<Draft>) => void
  problemOf: (field: string) => string | undefined
}

/** The value of an id in a list of choices. */
function idOf(value: string): number | null {
  return value === '' ? null : Number(value)
}

/** The price that the code reads: exchange and symbol. */
export function MarketFields({
  draft,
  change,
  problemOf,
  needs,
}: FieldsProps & { needs?: string | undefined }) {
  const { data: exchanges = [] } = useQuery(exchangesQuery)
  const exchange = exchanges.find(({ id }) => id === draft.exchange_id)
  const { data: symbols = [] } = useQuery(symbolsQuery(exchange, useSettled(draft.price_symbol.trim())))
  const listId = useId()
  return (
    <FieldGroup title="Market">
      <SelectField
        label="Exchange"
        hint={needs ?? 'Where prices and candles come from. They need no account.'}
        value={draft.exchange_id ?? ''}
        onChange={(event) => change({ exchange_id: idOf(event.target.value) })}
        problem={problemOf('exchange_id')}
      >
        <option value="">None</option>
        {draft.exchange_id !== null && exchange === undefined && (
          <option value={draft.exchange_id}>Exchange {draft.exchange_id}</option>
        )}
        {exchanges.map((each) => (
          <option key={each.id} value={each.id}>
            {exchangeText(each)}
          </option>
        ))}
      </SelectField>
      <TextField
        label="Symbol of the price"
        hint="Such as BTC/USDT."
        isCode
        list={listId}
        value={draft.price_symbol}
        onChange={(event) => change({ price_symbol: event.target.value })}
        problem={problemOf('price_symbol')}
      />
      <datalist id={listId}>
        {symbols.map((symbol) => (
          <option key={symbol} value={symbol} />
        ))}
      </datalist>
      <WholeRow>
        <CheckField
          label="Use the price"
          hint="The code gets it as $.Price. Without a current price, a run is skipped."
          checked={draft.use_price}
          onChange={(event) => change({ use_price: event.target.checked })}
          problem={problemOf('use_price')}
        />
      </WholeRow>
    </FieldGroup>
  )
}

/** Whether the code may act, and who gets its signals. */
export function SignalFields({ draft, change, problemOf }: FieldsProps) {
  return (
    <FieldGroup title="Signals">
      <WholeRow>
        <CheckField
          label="Send signals"
          hint="Gives the code $.Strategy.action. Without it, the code can only watch."
          checked={draft.send_signal}
          onChange={(event) => change({ send_signal: event.target.checked })}
          problem={problemOf('send_signal')}
        />
      </WholeRow>
      <WebhookField
        kind="bot"
        label="Bot webhook"
        hint="Bots that follow it get the signals."
        value={draft.webhook_id}
        onChange={(webhook_id) => change({ webhook_id })}
        problem={problemOf('webhook_id')}
      />
      <TextField
        label="Symbols of the signals"
        hint="Separated by commas, such as BTCUSDT, ETHUSDT."
        isCode
        value={draft.symbol}
        onChange={(event) => change({ symbol: event.target.value })}
        problem={problemOf('symbol')}
      />
    </FieldGroup>
  )
}

/** What triggers a reaction, and how often it may run. */
export function TriggerFields({ draft, change, problemOf }: FieldsProps) {
  return (
    <FieldGroup title="Trigger">
      <WebhookField
        kind="data"
        label="Data webhook"
        hint="The reaction runs with each payload that it accepts."
        value={draft.data_webhook_id}
        onChange={(data_webhook_id) => change({ data_webhook_id })}
        problem={problemOf('data_webhook_id')}
      />
      <TextField
        label="Runs a second at most"
        hint="Empty: no limit."
        inputMode="numeric"
        value={draft.delay}
        onChange={(event) => change({ delay: event.target.value })}
        problem={problemOf('delay')}
      />
    </FieldGroup>
  )
}

/** The choice of a webhook. `children` are further options. */
export function WebhookField({
  kind,
  label,
  hint,
  value,
  onChange,
  problem,
}: {
  kind: 'data' | 'bot'
  label: string
  hint: string
  value: number | null
  onChange: (id: number | null) => void
  problem: string | undefined
}) {
  const { data: webhooks = [] } = useQuery(webhookChoicesQuery(kind))
  return (
    <SelectField
      label={label}
      hint={hint}
      value={value ?? ''}
      onChange={(event) => onChange(idOf(event.target.value))}
      problem={problem}
    >
      <option value="">None</option>
      {value !== null && value > 0 && !webhooks.some(({ id }) => id === value) && (
        <option value={value}>Webhook {value}</option>
      )}
      {webhooks.map((webhook) => (
        <option key={webhook.id} value={webhook.id}>
          {webhookText(webhook)}
        </option>
      ))}
    </SelectField>
  )
}

function webhookText({ id, name, isShared }: WebhookChoice): string {
  return `${plainText(name) || `Webhook ${id}`}${isShared ? ' (shared with you)' : ''}`
}
