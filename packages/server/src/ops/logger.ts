import { type DestinationStream, type Logger, pino } from 'pino'
import type { LogLevel } from '../config.ts'

/** Where a secret could stand in what is logged. Bodies, code and storage are never logged at all. */
const redacted = [
  'password',
  'apiSecret',
  'req.headers["api-key"]',
  'req.headers.signature',
  'req.headers["x-key"]',
  'req.headers.authorization',
  'req.headers.cookie',
]

/** Structured logs, a JSON object a line. The secret in a webhook's address is cut out of every URL. */
export function createLogger(level: LogLevel, destination?: DestinationStream): Logger {
  const options = {
    level,
    base: null,
    timestamp: pino.stdTimeFunctions.isoTime,
    formatters: { level: (label: string) => ({ level: label }) },
    redact: { paths: redacted, censor: '[redacted]' },
    serializers: {
      req: (request: { method?: string; url?: string; id?: string }) => ({
        id: request.id,
        method: request.method,
        url: withoutSecrets(request.url ?? ''),
      }),
      err: describeError,
    },
  }
  return destination === undefined ? pino(options) : pino(options, destination)
}

type DescribedError = { type: string; message: string; code?: unknown; stack?: string; cause?: unknown }

/** Only what is known to hold no secret: libraries hang clients, configurations and queries on their errors. */
function describeError(error: unknown): DescribedError | string {
  if (!(error instanceof Error)) return String(error)
  const { code } = error as { code?: unknown }
  return {
    type: error.name,
    message: withoutParameters(error.message),
    ...(code === undefined ? {} : { code }),
    ...(error.stack === undefined ? {} : { stack: framesOf(error.stack) }),
    ...(error.cause === undefined ? {} : { cause: describeError(error.cause) }),
  }
}

/** Drizzle puts the values of a failed query into its message: code, hashes, whatever was to be stored. */
function withoutParameters(message: string): string {
  return message.replace(/\nparams: [\s\S]*$/, '')
}

/** A stack begins with the message once more. */
function framesOf(stack: string): string {
  return stack
    .split('\n')
    .filter((line) => /^\s+at /.test(line))
    .join('\n')
}

/** The path of a URL without its query, and without the id of a webhook. */
export function withoutSecrets(url: string): string {
  return (url.split('?')[0] ?? '').replace(/^(\/data-webhook\/).*/, '$1[redacted]')
}
