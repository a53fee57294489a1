import { Link } from '@tanstack/react-router'
import type { ExchangeConnection, SignalBotInList } from '@tickwright/client'
import { useState } from 'react'
import { plainText } from '../../base/text.ts'
import { exchangeText } from '../../data/accounts.ts'
import { CheckField, FieldGroup, RadioFields, SelectField, WholeRow } from '../../parts/Choices.tsx'
import { EntryFields } from '../../parts/entry/EntryFields.tsx'
import { TextField } from '../../parts/Field.tsx'
import { Notice } from '../../parts/Notice.tsx'
import type { Choices } from './choices.ts'
import { LimitFields } from './LimitFields.tsx'
import { Missing } from './Missing.tsx'
import { PaperFields } from './PaperFields.tsx'
import { SizeExample } from './SizeExample.tsx'
import { StopFields } from './StopFields.tsx'
import { newBotTexts, textsOf } from './settings.ts'

/** The value of the choice that makes a webhook together with the bot. */
export const newWebhook = 'new'

type Problems = (field: string) => string | undefined

/** All settings of a bot. Which of them it shows depends on the mode. */
export function BotFields({
  choices,
  bot,
  webhookId,
  folderId,
  modeIsFixed,
  problemOf,
}: {
  choices: Choices
  bot?: SignalBotInList
  /** For a new bot: the webhook that is chosen at first. */
  webhookId?: number | undefined
  /** The same for the folder. */
  folderId?: number | undefined
  /** Why the mode cannot change, or `null`. */
  modeIsFixed: string | null
  problemOf: Problems
}) {
  const [mode, setMode] = useState<'paper' | 'live'>(bot?.mode ?? 'paper')
  const texts = bot === undefined ? newBotTexts : textsOf(bot)
  const field = (name: string) => ({ name, defaultValue: texts[name] ?? '', problem: problemOf(name) })
  return (
    <>
      <FieldGroup title="Signals">
        <TextField
          label="Name"
          name="name"
          maxLength={255}
          autoComplete="off"
          defaultValue={bot?.name ?? ''}
          problem={problemOf('name')}
        />
        <WebhookField
          choices={choices}
          chosen={bot === undefined ? webhookId : bot.webhook_id}
          isNew={bot === undefined}
          problem={problemOf('webhook_id')}
        />
        {choices.folders.length > 0 && (
          <SelectField
            label="Folder"
            name="folder_id"
            defaultValue={(bot === undefined ? folderId : bot.folder_id) ?? ''}
            problem={problemOf('folder_id')}
          >
            <option value="">In no folder</option>
            {choices.folders.map(({ id, path }) => (
              <option key={id} value={id}>
                {plainText(path)}
              </option>
            ))}
          </SelectField>
        )}
        <TextField
          {...field('delay_seconds')}
          label="Delay"
          inputMode="numeric"
          hint="In seconds. The bot waits this long before it follows a signal, also to close. Closes that you ask for do not wait."
        />
      </FieldGroup>
      <FieldGroup title="Market">
        <WholeRow>
          <RadioFields
            legend="Mode"
            name="mode"
            value={mode}
            onChange={setMode}
            choices={[
              {
                value: 'paper',
                text: 'Paper',
                hint: 'Simulates orders at current prices. No order leaves this machine.',
                unavailable: mode === 'live' ? modeIsFixed : null,
              },
              {
                value: 'live',
                text: 'Live',
                hint: 'Sends orders to the exchange, with the money of your account.',
                unavailable: mode === 'paper' ? modeIsFixed : null,
              },
            ]}
          />
        </WholeRow>
        <PlaceFields key={mode} choices={choices} bot={bot} mode={mode} problemOf={problemOf} />
        <TextField
          {...field('symbol')}
          label="Symbols"
          isCode
          maxLength={1000}
          placeholder="BTC/USDT, ETH/USDT"
          hint="Separated by commas. Empty: every symbol that its webhook gets."
        />
      </FieldGroup>
      <FieldGroup title="Size">
        <TextField
          {...field('amount')}
          label="Amount"
          inputMode="decimal"
          placeholder={bot === undefined ? '100' : ''}
          hint="What an opening order is for, if its signal has no size."
        />
        <SelectField
          label="The amount is in"
          name="amount_unit"
          defaultValue={bot?.amount_unit ?? 'quote'}
          hint="In base currency, 1 on BTC/USDT is 1 BTC, whatever it costs. Then name the symbols. If it is what a stop may lose, each opening needs a stop."
          problem={problemOf('amount_unit')}
        >
          <option value="quote">Quote currency, such as USDT</option>
          <option value="base">Base currency, such as BTC</option>
          <option value="equity_percent">Percent of the bot's equity</option>
          <option value="risk_percent">Percent of the equity, lost at the stop</option>
        </SelectField>
        <SelectField
          label="Sizes of signals are in"
          name="size_unit"
          defaultValue={bot?.size_unit ?? ''}
          hint="Of those that open. If you have not chosen and the amount is not in quote currency, the bot refuses them. A size that closes is always in base currency."
          problem={problemOf('size_unit')}
        >
          <option value="">Quote currency, if the amount is</option>
          <option value="quote">Quote currency, such as USDT</option>
          <option value="base">Base currency, such as BTC</option>
        </SelectField>
        <TextField
          {...field('amount_currency')}
          label="Quote currency"
          isCode
          placeholder={bot === undefined ? 'USDT' : ''}
          hint={
            bot === undefined
              ? 'Of amounts and limits. Empty: that of the symbols, or else the usual one of the exchange.'
              : 'Of amounts and limits.'
          }
        />
        <TextField
          {...field('amount_rate')}
          label="Converted by the price of"
          isCode
          placeholder="BTC/USDT"
          hint="Only if the markets have another quote currency. Empty: no conversion."
        />
        <WholeRow>
          <CheckField
            label="Ignore the sizes of signals"
            name="strict_amount"
            defaultChecked={bot?.strict_amount ?? false}
            hint="Only a signal with forceSize can then choose another size."
            problem={problemOf('strict_amount')}
          />
        </WholeRow>
        <WholeRow>
          <SizeExample botId={bot?.id} />
        </WholeRow>
      </FieldGroup>
      <FieldGroup title="Entry">
        <EntryFields entry={bot?.entry ?? null} problemOf={problemOf} />
      </FieldGroup>
      <StopFields field={field} bot={bot} problemOf={problemOf} />
      <LimitFields field={field} bot={bot} />
      <FieldGroup title={mode === 'paper' ? 'Simulation' : 'Books'}>
        <TextField
          {...field('start_balance')}
          // The default of a paper bot says nothing about an account.
          key={mode}
          defaultValue={bot === undefined && mode === 'live' ? '' : (texts.start_balance ?? '')}
          label="Start balance"
          inputMode="decimal"
          hint={
            mode === 'live' ? 'Empty: the money of the account.' : 'The bot can spend this and its profit.'
          }
        />
        {mode === 'paper' && <PaperFields field={field} bot={bot} />}
      </FieldGroup>
    </>
  )
}

function WebhookField({
  choices: { own, shared },
  chosen,
  isNew,
  problem,
}: {
  choices: Choices
  chosen: number | null | undefined
  isNew: boolean
  problem: string | undefined
}) {
  const first = isNew ? (own.length === 0 ? newWebhook : own[0]!.id) : ''
  return (
    <SelectField
      label="Bot webhook"
      name="webhook_id"
      defaultValue={chosen ?? first}
      hint="The bot follows the signals that come in there: from senders, and from strategies that send to it."
      problem={problem}
    >
      {isNew ? (
        <option value={newWebhook}>A new webhook, made with the bot</option>
      ) : (
        <option value="">None: it gets no signals</option>
      )}
      {own.map(({ id, name }) => (
        <option key={id} value={id}>
          {plainText(name) || `Webhook ${id}`}
        </option>
      ))}
      {shared.map(({ id, name, owner_id }) => (
        <option key={id} value={id}>
          {plainText(name) || `Webhook ${id}`}, shared by user {owner_id}
        </option>
      ))}
    </SelectField>
  )
}

function PlaceFields({
  choices: { exchanges, connections },
  bot,
  mode,
  problemOf,
}: {
  choices: Choices
  bot: SignalBotInList | undefined
  mode: 'paper' | 'live'
  problemOf: Problems
}) {
  const [picked, setPicked] = useState<number | null>(bot?.exchange_id ?? null)
  // Nothing is picked yet: what the bot has, or else the first that fits.
  const [pickedConnection, setPickedConnection] = useState<number | null | undefined>(undefined)
  const usable = mode === 'live' ? exchanges.filter(({ type }) => type !== 'SIM') : exchanges
  const usual =
    mode === 'live'
      ? connections.find(({ exchange_id: id }) => usable.some((one) => one.id === id))
      : undefined
  const isAsBefore = bot !== undefined && mode === bot.mode && picked === bot.exchange_id
  const first = usual?.exchange_id ?? usable[0]?.id ?? null
  const exchangeId = isAsBefore ? picked : (usable.find(({ id }) => id === picked)?.id ?? first)
  const fitting = connections.filter(({ exchange_id }) => exchange_id === exchangeId)
  const proposed = isAsBefore ? bot.connection_id : (fitting[0]?.id ?? null)
  const connectionId = pickedConnection === undefined ? proposed : pickedConnection
  const connection = fitting.find(({ id }) => id === connectionId) ?? null
  return (
    <>
      <SelectField
        label="Exchange"
        name="exchange_id"
        value={exchangeId ?? ''}
        onChange={(event) => {
          setPicked(Number(event.target.value))
          setPickedConnection(undefined)
        }}
        hint={mode === 'paper' ? 'The bot uses its prices.' : undefined}
        problem={problemOf('exchange_id')}
      >
        {bot !== undefined && !usable.some(({ id }) => id === bot.exchange_id) && mode === bot.mode && (
          <option value={bot.exchange_id}>Exchange {bot.exchange_id}, which is not enabled</option>
        )}
        {usable.map((exchange) => (
          <option key={exchange.id} value={exchange.id}>
            {exchangeText(exchange)}
          </option>
        ))}
      </SelectField>
      {mode === 'live' && (
        <>
          <SelectField
            label="Connection"
            name="connection_id"
            value={connection?.id ?? ''}
            onChange={(event) => setPickedConnection(Number(event.target.value) || null)}
            hint="The account whose money the bot trades with."
            problem={problemOf('connection_id')}
          >
            <option value="">{fitting.length === 0 ? 'You have none for this exchange' : 'None'}</option>
            {fitting.map((one) => (
              <option key={one.id} value={one.id}>
                {connectionText(one)}
              </option>
            ))}
          </SelectField>
          <WholeRow>
            <LiveNotice connection={connection} />
          </WholeRow>
        </>
      )}
    </>
  )
}

function connectionText({ id, name, demo, key_ending }: ExchangeConnection): string {
  const key = key_ending === null ? '' : `, key …${plainText(key_ending)}`
  return `${plainText(name) || `Connection ${id}`}${demo ? ', demo' : ''}${key}`
}

/** The path as a text: another page of the dashboard, which the router knows by then. */
const connectionsPath: string = '/settings/connections'

function LiveNotice({ connection }: { connection: ExchangeConnection | null }) {
  return (
    <Missing
      mode="live"
      connection={connection}
      otherwise={
        <Notice tone="warning">
          Once it is on, this bot trades with {connection?.demo ? 'the demo account' : 'real money'}.
        </Notice>
      }
      action={connection === null && <Link to={connectionsPath}>Connections</Link>}
    />
  )
}
