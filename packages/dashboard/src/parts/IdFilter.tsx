import { beginningOf, plainText } from '../base/text.ts'
import { ChoiceFilter } from './Filter.tsx'

/** A filter by one of the user's things. One that is not known, such as a deleted one, is shown by its number. */
export function IdFilter({
  label,
  all,
  things,
  chosen,
  onChange,
}: {
  label: string
  all: string
  things: ReadonlyMap<number, string | { name: string }> | undefined
  chosen: number | undefined
  onChange: (id: number | undefined) => void
}) {
  const known = [...(things ?? [])].map(([id, thing]) => ({
    value: String(id),
    text: shorten(plainText(typeof thing === 'string' ? thing : thing.name) || `${label} ${id}`),
  }))
  const isKnown = chosen === undefined || things?.has(chosen)
  return (
    <ChoiceFilter
      label={label}
      all={all}
      choices={isKnown ? known : [...known, { value: String(chosen), text: `${label} ${chosen}` }]}
      value={chosen === undefined ? undefined : String(chosen)}
      onChange={(value) => onChange(value === undefined ? undefined : Number(value))}
    />
  )
}

/** A choice is as wide as its longest text. */
function shorten(text: string): string {
  return text.length <= 28 ? text : `${beginningOf(text, 27).text}…`
}
