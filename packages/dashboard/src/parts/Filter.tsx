import { Search, X } from 'lucide-react'
import { useEffect, useState } from 'react'
import styles from './filter.module.css'

type Choice<Value extends string> = { value: Value; text: string }

/** A filter with few choices. Nothing chosen: everything. */
export function ChoiceFilter<Value extends string>({
  label,
  all,
  choices,
  value,
  onChange,
}: {
  label: string
  /** The text for everything. */
  all: string
  choices: readonly Choice<Value>[]
  value: Value | undefined
  onChange: (value: Value | undefined) => void
}) {
  return (
    <select
      className={styles.select}
      aria-label={label}
      value={value ?? ''}
      data-set={value !== undefined || undefined}
      onChange={(event) => onChange((event.target.value || undefined) as Value | undefined)}
    >
      <option value="">{all}</option>
      {choices.map(({ value, text }) => (
        <option key={value} value={value}>
          {text}
        </option>
      ))}
    </select>
  )
}

/** A filter by text. It applies when the user pauses, or with Enter. */
export function TextFilter({
  label,
  value,
  onChange,
}: {
  label: string
  value: string | undefined
  onChange: (value: string | undefined) => void
}) {
  const [typed, setTyped] = useState(value ?? '')
  useEffect(() => setTyped(value ?? ''), [value])
  useEffect(() => {
    if (typed.trim() === (value ?? '')) return
    const timer = setTimeout(() => onChange(typed.trim() || undefined), 400)
    return () => clearTimeout(timer)
  }, [typed, value, onChange])
  return (
    <div className={styles.text}>
      <Search aria-hidden />
      <input
        type="text"
        aria-label={label}
        placeholder={label}
        value={typed}
        onChange={(event) => setTyped(event.target.value)}
        onKeyDown={(event) => {
          if (event.key === 'Enter') onChange(typed.trim() || undefined)
        }}
      />
      {typed !== '' && (
        <button type="button" aria-label="Clear" onClick={() => onChange(undefined)}>
          <X aria-hidden />
        </button>
      )}
    </div>
  )
}
