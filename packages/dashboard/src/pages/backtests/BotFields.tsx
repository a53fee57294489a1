import { useState } from 'react'
import { plainText } from '../../base/text.ts'
import type { BotName } from '../../data/bot-names.ts'
import { CheckField, FieldGroup, RadioFields, WholeRow } from '../../parts/Choices.tsx'
import { TextField } from '../../parts/Field.tsx'
import { Notice } from '../../parts/Notice.tsx'
import type { Backtest } from './backtests.ts'

/** Who follows the signals: a new paper bot, or bots with the settings of some that exist. None of them trades. */
export function BotFields({
  bots,
  earlier,
  problemOf,
}: {
  bots: readonly BotName[]
  earlier: Backtest | undefined
  problemOf: (field: string) => string | undefined
}) {
  const earlierIds = earlier?.bots.map(({ id }) => id).filter((id) => id !== null) ?? []
  const [who, setWho] = useState<'new' | 'own'>(earlierIds.length > 0 ? 'own' : 'new')
  const [first] = earlier?.bots ?? []
  const old = (name: string) => {
    const value = first?.id === null ? (first.settings as Record<string, unknown>)[name] : undefined
    return typeof value === 'string' || typeof value === 'number' ? value : ''
  }
  return (
    <FieldGroup title="Who follows">
      <WholeRow>
        <RadioFields
          legend="Bots"
          name="who"
          value={who}
          onChange={setWho}
          choices={[
            { value: 'new', text: 'A new paper bot' },
            {
              value: 'own',
              text: 'The settings of my bots',
              hint: 'The bots themselves do nothing.',
              unavailable: bots.length === 0 ? 'You have no bot.' : null,
            },
          ]}
        />
      </WholeRow>
      {who === 'own' ? (
        <WholeRow>
          {problemOf('bots') !== undefined && <Notice tone="loss">{problemOf('bots')}</Notice>}
          {bots.map(({ id, name }) => (
            <CheckField
              key={id}
              name="bot"
              value={id}
              label={plainText(name) || `Bot ${id}`}
              defaultChecked={earlierIds.includes(id)}
            />
          ))}
        </WholeRow>
      ) : (
        botTexts.map(({ name, label, hint, placeholder }) => (
          <TextField
            key={name}
            {...{ name, label, hint, placeholder }}
            inputMode="decimal"
            defaultValue={old(name)}
            problem={problemOf(`bots[0].${name}`)}
          />
        ))
      )}
    </FieldGroup>
  )
}

const botTexts = [
  { name: 'amount', label: 'Amount', placeholder: '100', hint: 'In quote currency, for each opening.' },
  { name: 'start_balance', label: 'Balance at the start', placeholder: '10000', hint: 'In quote currency.' },
  { name: 'fee_rate', label: 'Fee', placeholder: '0.001', hint: 'As a part of each fill: 0.001 is 0.1 %.' },
  {
    name: 'spread_rate',
    label: 'Spread',
    placeholder: '0',
    hint: 'Between bid and ask, as a part of the price. Each market order pays half of it.',
  },
  { name: 'slippage_rate', label: 'Slippage', placeholder: '0.0005', hint: 'As a part of the price.' },
  {
    name: 'leverage',
    label: 'Leverage',
    placeholder: 'None',
    hint: 'On futures. Each position has isolated margin, and can be liquidated.',
  },
]
