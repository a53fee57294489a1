/** Turns values into text, for the log and for messages. */

const { stringify } = JSON

/** A value as the log shows it. Throws what the value's own members throw. */
export function render(value) {
  if (typeof value === 'string') return value
  if (value instanceof Error) return headline(value)
  if (typeof value === 'function') return `[function ${value.name || 'anonymous'}]`
  if (typeof value === 'bigint') return `${value}n`
  if (typeof value !== 'object' || value === null) return String(value)
  try {
    return stringify(value) ?? String(value)
  } catch {
    return '[object]'
  }
}

/** The name and message of an error. Never throws. */
export function headline(error) {
  try {
    const { name, message } = error
    return message === '' ? `${name}` : `${name}: ${message}`
  } catch {
    return 'Error'
  }
}
