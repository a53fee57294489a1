/** Values as text, for the log and for messages. */

const { stringify } = JSON

/** A value as a line of the log shows it. May throw what the value's own members throw. */
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

/** An error's name and message. Never throws. */
export function headline(error) {
  try {
    const { name, message } = error
    return message === '' ? `${name}` : `${name}: ${message}`
  } catch {
    return 'Error'
  }
}
