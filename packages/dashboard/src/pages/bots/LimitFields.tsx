import type { SignalBotInList } from '@tickwright/client'
import { FieldGroup, SelectField } from '../../parts/Choices.tsx'
import { TextField } from '../../parts/Field.tsx'

/** What a field of the form needs: its name, its text at first, and what the service said about it. */
export type FieldOf = (name: string) => { name: string; defaultValue: string; problem: string | undefined }

/** What keeps a bot from opening. */
export function LimitFields({ field, bot }: { field: FieldOf; bot: SignalBotInList | undefined }) {
  return (
    <FieldGroup title="Limits">
      <SelectField
        label="Opens"
        name="direction"
        defaultValue={bot?.direction ?? 'both'}
        problem={field('direction').problem}
        hint="It closes any position."
      >
        <option value="both">Long and short positions</option>
        <option value="long">Only long positions</option>
        <option value="short">Only short positions</option>
      </SelectField>
      <TextField
        {...field('max_open_positions')}
        label="Most positions"
        inputMode="numeric"
        placeholder="No limit"
        hint="At the same time, in different symbols."
      />
      <TextField
        {...field('max_position')}
        label="Largest position"
        inputMode="decimal"
        placeholder="No limit"
        hint="The value of one position."
      />
      <TextField
        {...field('leverage')}
        label="Leverage"
        inputMode="numeric"
        placeholder="What the account has"
        hint="Of futures. A live bot sets it before it opens a position. On paper, empty is 1."
      />
      <SelectField
        label="Margin mode"
        name="margin_mode"
        defaultValue={bot?.margin_mode ?? ''}
        problem={field('margin_mode').problem}
        hint="Of futures at an exchange. A bot that holds a position keeps its mode."
      >
        <option value="">What the account has</option>
        <option value="cross">Cross: the whole account backs a position</option>
        <option value="isolated">Isolated: each position has its own margin</option>
      </SelectField>
      <TextField
        {...field('max_daily_loss')}
        label="Largest loss on a day"
        inputMode="decimal"
        placeholder="No limit"
        hint="After it, the bot opens nothing more on that UTC day."
      />
      <SelectField
        label="When it reaches that loss"
        name="on_limit"
        defaultValue={bot?.on_limit ?? 'stop'}
        problem={field('on_limit').problem}
      >
        <option value="stop">Positions stay open</option>
        <option value="close">Also close all positions</option>
      </SelectField>
      <TextField
        {...field('max_drawdown')}
        label="Largest fall of the equity"
        placeholder="No limit"
        hint="Below its highest, such as 20%. Then the bot closes everything, and opens nothing until you reset it."
      />
      <TextField
        {...field('cooldown_seconds')}
        label="Pause after a loss"
        inputMode="numeric"
        placeholder="None"
        hint="In seconds. The bot opens nothing with that symbol meanwhile."
      />
      <TextField
        {...field('max_signal_age_seconds')}
        label="Oldest signal that opens"
        inputMode="numeric"
        placeholder="No limit"
        hint="In seconds. A closing signal is followed however old it is."
      />
    </FieldGroup>
  )
}
