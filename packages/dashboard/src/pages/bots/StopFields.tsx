import type { SignalBotInList } from '@tickwright/client'
import { CheckField, FieldGroup, SelectField, WholeRow } from '../../parts/Choices.tsx'
import { TextField } from '../../parts/Field.tsx'
import { ProtectionFields } from '../../parts/protection/ProtectionFields.tsx'
import type { FieldOf } from './LimitFields.tsx'

/** What protects the positions that a bot opens, and what a stop has to be like. */
export function StopFields({
  field,
  bot,
  problemOf,
}: {
  field: FieldOf
  bot: SignalBotInList | undefined
  problemOf: (field: string) => string | undefined
}) {
  return (
    <FieldGroup title="Protection of new positions">
      <ProtectionFields protection={bot?.protection ?? null} problemOf={problemOf} />
      <TextField
        {...field('max_stop_distance')}
        label="Largest distance of a stop"
        placeholder="No limit"
        hint="From the price, such as 3%. The bot refuses an opening whose stop is further away."
      />
      <SelectField
        label="If a stop is refused for too long"
        name="on_unprotected"
        defaultValue={bot?.on_unprotected ?? 'watch'}
        problem={field('on_unprotected').problem}
        hint="Of a live position, by an exchange that can keep stops."
      >
        <option value="watch">Go on trying, and watch the price</option>
        <option value="close">Close the position</option>
      </SelectField>
      <TextField
        {...field('unprotected_seconds')}
        label="Longest time without a stop"
        inputMode="numeric"
        hint="In seconds. Until then, the service tries and watches."
      />
      <WholeRow>
        <CheckField
          label="Open nothing without a stop"
          name="require_stop"
          defaultChecked={bot?.require_stop ?? false}
          hint="Of the bot or of the signal, from the first fill on."
          problem={problemOf('require_stop')}
        />
      </WholeRow>
    </FieldGroup>
  )
}
