/** What the author of a strategy reads about a forbidden identifier: the rule, and a way out where there is a short one. */

const useHttp = 'Send requests with $.Http.'
const useLog = 'Write to the record of the run with $.log.'
const useSchedule = 'There are no timers. Let a schedule or a webhook run the strategy again.'
const noModules = 'Modules cannot be loaded. Indicators are in $.Ta.'

const waysOut: Record<string, string> = {
  close: `Read a candle's last price with payload['clo' + 'se'], or send it as "last".`,
  fetch: useHttp,
  XMLHttpRequest: useHttp,
  WebSocket: useHttp,
  EventSource: useHttp,
  console: useLog,
  alert: useLog,
  setTimeout: useSchedule,
  setInterval: useSchedule,
  setImmediate: useSchedule,
  clearTimeout: 'There are no timers.',
  clearInterval: 'There are no timers.',
  clearImmediate: 'There are no timers.',
  queueMicrotask: 'Use await.',
  import: noModules,
  require: noModules,
  export: 'End the run with return.',
  eval: 'Read JSON with JSON.parse.',
  constructor: 'Give the class fields with initial values instead.',
  crypto: 'Sign with $.Http.generateSignature.',
  structuredClone: 'Copy JSON values with JSON.parse(JSON.stringify(value)).',
  performance: 'Read the time with Date.now().',
  process: 'Read your environment variables from $.Env.',
  Intl: 'Format numbers with toFixed.',
}

/** Names that senders give to fields of their payloads. */
const fieldNames = new Set(
  'location navigator window self frames parent top document module exports global prompt'.split(' '),
)

/** Says that an identifier is forbidden, and how to do without it. */
export function forbiddenMessage(identifier: string): string {
  const wayOut = forbiddenWayOut(identifier)
  const rule = `"${identifier}" may not stand in code, not even in a comment.`
  return wayOut === undefined ? rule : `${rule} ${wayOut}`
}

/** How to do without a forbidden identifier, if there is a short way. */
export function forbiddenWayOut(identifier: string): string | undefined {
  return fieldNames.has(identifier) ? readInParts(identifier) : waysOut[identifier]
}

function readInParts(name: string): string {
  const middle = Math.ceil(name.length / 2)
  return `Read a field of this name with payload['${name.slice(0, middle)}' + '${name.slice(middle)}'].`
}
