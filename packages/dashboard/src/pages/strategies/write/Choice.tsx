import { type ReactNode, useId } from 'react'
import styles from './write.module.css'

/** One of a few values, from a list. */
export function Choice<Value extends string>({
  label,
  value,
  choices,
  onChange,
}: {
  label: string
  value: Value
  /** The text of each value that can be chosen. */
  choices: Partial<Record<Value, string>>
  onChange: (value: Value) => void
}) {
  return (
    <Select label={label} value={value} onChange={(chosen) => onChange(chosen as Value)}>
      {Object.entries<string | undefined>(choices).map(([value, text]) => (
        <option key={value} value={value}>
          {text}
        </option>
      ))}
    </Select>
  )
}

export function Select({
  label,
  value,
  onChange,
  children,
}: {
  label: string
  value: string
  onChange: (value: string) => void
  children: ReactNode
}) {
  const id = useId()
  return (
    <div className={styles.select}>
      <label htmlFor={id}>{label}</label>
      <select id={id} value={value} onChange={(event) => onChange(event.target.value)}>
        {children}
      </select>
    </div>
  )
}
