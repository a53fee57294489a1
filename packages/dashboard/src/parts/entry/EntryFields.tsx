import { useState } from 'react'
import { SelectField, WholeRow } from '../Choices.tsx'
import { TextField } from '../Field.tsx'
import { type Entry, textOfEntry } from './texts.ts'
import { entryExample } from './words.ts'

const noEntry: Entry = {
  ...{ type: 'limit', offset: null, timeout_seconds: 300, on_timeout: 'cancel' },
  ...{ chases: 3, max_slippage: null },
}

/** The fields of an entry, for a group of fields. `entryOf` reads what they have. */
export function EntryFields({
  entry,
  problemOf,
}: {
  entry: Entry | null
  problemOf: (field: string) => string | undefined
}) {
  const [type, setType] = useState<string>(entry?.type ?? 'market')
  const [typed, setTyped] = useState<Entry>(entry ?? noEntry)
  const change = (changes: Partial<Entry>) => setTyped({ ...typed, ...changes })
  const problem = (name: string) => problemOf(`entry.${name}`)
  const field = (name: keyof Omit<Entry, 'type'>) => ({
    ...{ name: `entry.${name}`, defaultValue: textOfEntry(entry, name), problem: problem(name) },
    ...{ maxLength: 64, autoComplete: 'off' },
  })
  return (
    <>
      <SelectField
        label="Opens with"
        name="entry.type"
        value={type}
        onChange={(event) => setType(event.target.value)}
        hint="A signal may say otherwise."
        problem={problem('type') ?? problemOf('entry')}
      >
        <option value="market">A market order, at once</option>
        <option value="limit">A limit order, which rests at a price</option>
        <option value="post_only">A post-only order, which takes no offer</option>
      </SelectField>
      {type !== 'market' && (
        <>
          <TextField
            {...field('offset')}
            label="Better than the price by"
            onChange={(event) => change({ offset: event.target.value.trim() || null })}
            placeholder={type === 'post_only' ? 'At the best bid or offer' : 'At the current price'}
            hint="A distance such as 0.5%: below the price to buy, above it to sell."
          />
          <TextField
            {...field('timeout_seconds')}
            label="Rests for"
            inputMode="numeric"
            onChange={(event) => change({ timeout_seconds: Number(event.target.value || 300) })}
            placeholder="300"
            hint="In seconds, at most a day."
          />
          <SelectField
            label="Then"
            name="entry.on_timeout"
            value={typed.on_timeout}
            onChange={(event) => change({ on_timeout: event.target.value as Entry['on_timeout'] })}
            problem={problem('on_timeout')}
          >
            <option value="cancel">The rest is cancelled</option>
            <option value="market">The rest follows at market</option>
            <option value="chase">It moves to the price then</option>
          </SelectField>
          {typed.on_timeout === 'chase' && (
            <TextField
              {...field('chases')}
              label="Moves at most so often"
              inputMode="numeric"
              onChange={(event) => change({ chases: Number(event.target.value || 3) })}
              placeholder="3"
            />
          )}
          {typed.on_timeout !== 'cancel' && (
            <TextField
              {...field('max_slippage')}
              label="Worse than the limit by at most"
              onChange={(event) => change({ max_slippage: event.target.value.trim() || null })}
              placeholder="No limit"
              hint="Than the first limit, such as 1%. A worse price ends it."
            />
          )}
          <WholeRow>
            <p role="status">{entryExample({ ...typed, type: type as Entry['type'] })}</p>
          </WholeRow>
        </>
      )}
    </>
  )
}
