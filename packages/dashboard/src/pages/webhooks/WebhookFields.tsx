import type { Kind, Webhook } from '../../data/webhooks.ts'
import { SelectField } from '../../parts/Choices.tsx'
import { TextField } from '../../parts/Field.tsx'
import { formats } from './form.ts'

/** The settings of a webhook, without its password. */
export function WebhookFields({
  kind,
  webhook,
  problemOf,
}: {
  kind: Kind
  webhook?: Webhook
  problemOf: (field: string) => string | undefined
}) {
  return (
    <>
      <TextField
        label="Name"
        name="name"
        maxLength={255}
        autoComplete="off"
        defaultValue={webhook?.name ?? ''}
        problem={problemOf('name')}
      />
      <TextField
        label="Description"
        name="description"
        maxLength={255}
        autoComplete="off"
        defaultValue={webhook?.description ?? ''}
        problem={problemOf('description')}
      />
      {kind === 'bot' && (
        <SelectField
          label="Format"
          name="format"
          defaultValue={(webhook !== undefined && 'format' in webhook && webhook.format) || 'tickwright'}
          hint="In whose words the payloads are. The documentation of signals says what happens to each field."
          problem={problemOf('format')}
        >
          {Object.entries(formats).map(([format, name]) => (
            <option key={format} value={format}>
              {name}
            </option>
          ))}
        </SelectField>
      )}
      <SelectField
        label="Accepts"
        name="content_type"
        defaultValue={webhook?.content_type ?? (kind === 'bot' ? 'any' : 'json')}
        hint="TradingView sends JSON as text/plain if it does not recognise it."
        problem={problemOf('content_type')}
      >
        <option value="json">Only application/json</option>
        <option value="any">JSON, also as text/plain or without a content type</option>
      </SelectField>
      <SelectField
        label="Key from"
        name="key_from"
        defaultValue={webhook?.key_from ?? (kind === 'bot' ? 'header_or_body' : 'header')}
        hint="Where the password may be, if senders need one. TradingView cannot send a header."
        problem={problemOf('key_from')}
      >
        <option value="header">Header x-key</option>
        <option value="header_or_body">Header or body: x-key, or the field key of the payload</option>
      </SelectField>
      <TextField
        label="Allowed senders"
        name="allow_from"
        autoComplete="off"
        defaultValue={webhook?.allow_from.join(', ') ?? ''}
        hint="Addresses or networks such as 192.0.2.0/24, or tradingview. Empty: everyone."
        problem={problemOf('allow_from')}
      />
    </>
  )
}
