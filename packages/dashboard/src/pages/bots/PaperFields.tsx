import type { SignalBotInList } from '@tickwright/client'
import { SelectField } from '../../parts/Choices.tsx'
import { TextField } from '../../parts/Field.tsx'
import type { FieldOf } from './LimitFields.tsx'

/** What a paper bot assumes about its market. */
export function PaperFields({ field, bot }: { field: FieldOf; bot: SignalBotInList | undefined }) {
  return (
    <>
      <TextField
        {...field('fee_rate')}
        label="Fee"
        inputMode="decimal"
        hint="Of the value of each fill: 0.001 is 0.1 %."
      />
      <TextField
        {...field('slippage_rate')}
        label="Slippage"
        inputMode="decimal"
        hint="Of the price of each order: 0.0005 is 0.05 %."
      />
      <TextField
        {...field('spread_rate')}
        label="Spread"
        inputMode="decimal"
        hint="Between bid and ask, of the price: each market order pays half of it."
      />
      <TextField
        {...field('latency_ms')}
        label="Latency"
        inputMode="numeric"
        hint="In milliseconds, from a signal to its order, after the delay."
      />
      <TextField
        {...field('participation')}
        label="Share of the volume"
        inputMode="decimal"
        placeholder="Orders of any size"
        hint="How much of what is traded in a minute the bot may trade: 0.1 is a tenth."
      />
      <TextField
        {...field('size_step')}
        label="Size step"
        inputMode="decimal"
        hint="Sizes are rounded down to it, in base currency. Empty: that of the market."
      />
      <TextField
        {...field('min_size')}
        label="Smallest size"
        inputMode="decimal"
        hint="Of an order, in base currency. Empty: that of the market."
      />
      <TextField
        {...field('min_notional')}
        label="Smallest value"
        inputMode="decimal"
        hint="Of an order, in quote currency. Empty: that of the market."
      />
      <TextField
        {...field('maintenance')}
        label="Maintenance margin"
        inputMode="decimal"
        placeholder="No liquidation"
        hint="Of futures with a leverage: 0.005 liquidates a position when 0.5 % of its value are left."
      />
      <SelectField
        label="Funding"
        name="funding"
        defaultValue={bot?.funding ?? 'off'}
        problem={field('funding').problem}
        hint="What positions in perpetual futures pay and receive."
      >
        <option value="off">Not counted</option>
        <option value="exchange">By the rates of the exchange</option>
      </SelectField>
    </>
  )
}
